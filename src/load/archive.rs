//! Archives of images as files, which may be compressed.

use std::io;
use std::path::Path;

use async_compression::tokio::bufread::{GzipDecoder, ZstdDecoder};
use tokio::fs::File;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// The first bytes of what gzip writes (RFC 1952).
const GZIP: &[u8] = &[0x1f, 0x8b];

/// The first bytes of what zstd writes (RFC 8878).
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// Opens an archive and takes the compression off: older containerds read none that is compressed.
///
/// # Errors
/// The file cannot be read.
pub(super) async fn open(path: &Path) -> io::Result<Box<dyn AsyncRead + Unpin + Send>> {
    let mut file = BufReader::new(File::open(path).await?);
    let start = file.fill_buf().await?;
    if start.starts_with(GZIP) {
        let mut plain = GzipDecoder::new(file);
        // As gzip itself reads several that follow each other, such as pigz writes.
        plain.multiple_members(true);
        return Ok(Box::new(plain));
    }
    if start.starts_with(ZSTD) {
        let mut plain = ZstdDecoder::new(file);
        plain.multiple_members(true);
        return Ok(Box::new(plain));
    }
    Ok(Box::new(file))
}

#[cfg(test)]
mod tests {
    use async_compression::tokio::write::{GzipEncoder, ZstdEncoder};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    const TEXT: &[u8] = b"what an archive holds";

    async fn read(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let file = tempfile::NamedTempFile::new()?;
        std::fs::write(file.path(), bytes)?;
        let mut plain = Vec::new();
        open(file.path()).await?.read_to_end(&mut plain).await?;
        Ok(plain)
    }

    #[tokio::test]
    async fn compression_is_taken_off_by_what_is_in_the_file() {
        let mut gzip = GzipEncoder::new(Vec::new());
        gzip.write_all(TEXT).await.unwrap();
        gzip.shutdown().await.unwrap();
        let gzip = gzip.into_inner();
        assert_eq!(read(&gzip).await.unwrap(), TEXT);
        assert_eq!(
            read(&[gzip.clone(), gzip.clone()].concat()).await.unwrap(),
            TEXT.repeat(2)
        );
        let mut zstd = ZstdEncoder::new(Vec::new());
        zstd.write_all(TEXT).await.unwrap();
        zstd.shutdown().await.unwrap();
        assert_eq!(read(&zstd.into_inner()).await.unwrap(), TEXT);
        assert_eq!(read(TEXT).await.unwrap(), TEXT);
        assert_eq!(read(b"").await.unwrap(), b"");
        assert!(read(&gzip[..gzip.len() - 4]).await.is_err(), "a part is no whole");
    }
}
