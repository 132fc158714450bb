//! One stream of bytes, read once, into several calls at the same time.
//!
//! An image goes from the engine to all nodes in this way: nothing is written to a file, and what is held in memory is
//! bounded, however large it is.

use std::sync::Arc;

use futures::future::join_all;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdout};
use tokio::sync::mpsc::{self, Receiver};
use tokio::task::JoinHandle;

use crate::classify::EngineError;
use crate::exec::{Call, Engine, Output};

/// Bytes that are read at a time.
const CHUNK: usize = 256 << 10;

/// How many of these a call may be behind the quickest.
const AHEAD: usize = 8;

/// A call whose standard output is read as it comes.
#[derive(Debug)]
pub struct Streaming {
    engine: Engine,
    call: Call,
    child: Child,
    words: JoinHandle<Vec<u8>>,
}

impl Streaming {
    /// Waits for the end of a call whose output was read to its end.
    ///
    /// # Errors
    /// It failed: what came out of it is not the whole.
    pub async fn end(mut self) -> Result<(), EngineError> {
        let status = match tokio::time::timeout(self.call.limit, self.child.wait()).await {
            Ok(status) => status.map_err(|source| EngineError::NotStarted {
                engine: self.engine.name(),
                source,
            })?,
            Err(_) => {
                return Err(EngineError::TimedOut {
                    engine: self.engine.name(),
                    args: self.call.args(),
                    limit: self.call.limit,
                });
            }
        };
        if status.success() {
            return Ok(());
        }
        let output = Output {
            stdout: Vec::new(),
            stderr: self.words.await.unwrap_or_default(),
            status,
        };
        Err(self.engine.failed(self.call.args(), &output))
    }
}

impl Engine {
    /// Starts a call and returns its standard output as a stream.
    ///
    /// # Errors
    /// The program is missing or cannot be started.
    pub fn stream(&self, call: Call) -> Result<(Streaming, ChildStdout), EngineError> {
        let mut child = self.spawn(&call)?;
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let Some(out) = out else {
            return Err(EngineError::NotStarted {
                engine: self.name(),
                source: std::io::Error::other("it has no standard output"),
            });
        };
        let words = tokio::spawn(async move {
            let mut bytes = Vec::new();
            if let Some(mut err) = err {
                // What was read until the pipe broke is what there is to tell.
                let _ = err.read_to_end(&mut bytes).await;
            }
            bytes
        });
        let streaming = Streaming {
            engine: self.clone(),
            call,
            child,
            words,
        };
        Ok((streaming, out))
    }

    /// Feeds what `source` gives to the standard input of all `calls`, and returns how each ended. One that ends early
    /// does not stop the others.
    ///
    /// # Errors
    /// The source cannot be read.
    pub async fn fan_out<R>(
        &self,
        mut source: R,
        calls: Vec<Call>,
    ) -> std::io::Result<Vec<Result<Output, EngineError>>>
    where
        R: AsyncRead + Unpin + Send,
    {
        let mut senders = Vec::new();
        let mut jobs = Vec::new();
        for call in calls {
            let (sender, receiver) = mpsc::channel(AHEAD);
            senders.push(sender);
            jobs.push(self.fed(call, receiver));
        }
        let read = async move {
            let mut buffer = vec![0; CHUNK];
            loop {
                let length = source.read(&mut buffer).await?;
                if length == 0 || senders.is_empty() {
                    // The senders end here, and with them the calls' inputs.
                    return Ok::<_, std::io::Error>(());
                }
                let chunk: Arc<[u8]> = Arc::from(&buffer[..length]);
                let sent = join_all(senders.iter().map(|sender| sender.send(Arc::clone(&chunk)))).await;
                let mut sent = sent.into_iter();
                senders.retain(|_| sent.next().is_some_and(|sent| sent.is_ok()));
            }
        };
        let (read, ends) = tokio::join!(read, join_all(jobs));
        read.map(|()| ends)
    }

    /// Runs a call to its end with what comes through a channel as its standard input.
    async fn fed(&self, call: Call, mut chunks: Receiver<Arc<[u8]>>) -> Result<Output, EngineError> {
        let call = call.stdin(Vec::new());
        let limit = call.limit;
        let args = call.args();
        let mut child = self.spawn(&call)?;
        let input = child.stdin.take();
        let feed = async move {
            if let Some(mut input) = input {
                while let Some(chunk) = chunks.recv().await {
                    // A program that reads no more says itself why.
                    if input.write_all(&chunk).await.is_err() {
                        break;
                    }
                }
                let _ = input.shutdown().await;
            }
        };
        let all = async { tokio::join!(feed, child.wait_with_output()).1 };
        match tokio::time::timeout(limit, all).await {
            Ok(Ok(output)) => Ok(Output {
                stdout: output.stdout,
                stderr: output.stderr,
                status: output.status,
            }),
            Ok(Err(source)) => Err(EngineError::NotStarted {
                engine: self.name(),
                source,
            }),
            Err(_) => Err(EngineError::TimedOut {
                engine: self.name(),
                args,
                limit,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn all_get_the_whole_and_one_that_ends_early_stops_nobody() {
        let sh = Engine::new("sh");
        let (streaming, out) = sh
            .stream(Call::new(["-c", "head -c 5000000 /dev/zero; echo end >&2"]))
            .unwrap();
        let calls = ["wc -c", "exit 3", "head -c 10 | wc -c; exec cat >/dev/null"];
        let ends = sh
            .fan_out(out, calls.map(|script| Call::new(["-c", script])).to_vec())
            .await
            .unwrap();
        streaming.end().await.unwrap();
        let ends: Vec<_> = ends.into_iter().map(Result::unwrap).collect();
        assert_eq!(ends[0].text().trim(), "5000000");
        assert_eq!(ends[1].status.code(), Some(3));
        assert_eq!(ends[2].text().trim(), "10");
    }

    #[tokio::test]
    async fn a_source_that_fails_says_why() {
        let sh = Engine::new("sh");
        let (streaming, out) = sh
            .stream(Call::new(["-c", "echo part; echo no more >&2; exit 4"]))
            .unwrap();
        sh.fan_out(out, vec![Call::new(["-c", "cat"])]).await.unwrap();
        let error = streaming.end().await.unwrap_err();
        let EngineError::Failed { code, output, .. } = error else {
            panic!("{error}")
        };
        assert_eq!((code, output.as_str()), (Some(4), "no more\n"));
    }
}
