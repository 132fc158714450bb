//! The pin with which joining nodes know their cluster.

use sha2::{Digest, Sha256};
use x509_cert::Certificate;
use x509_cert::der::Encode;

use super::error::KubeadmError;

/// Returns kubeadm's pin for a CA certificate: `sha256:` and the hash of its public key, that is of
/// the DER of its `SubjectPublicKeyInfo`. If the text holds several certificates, the first counts.
///
/// # Errors
/// [`KubeadmError::CaCertificate`] if there is no certificate in the text.
pub fn ca_cert_hash(pem: &str) -> Result<String, KubeadmError> {
    let unreadable = |error: x509_cert::der::Error| KubeadmError::CaCertificate {
        reason: error.to_string(),
    };
    let chain = Certificate::load_pem_chain(pem.as_bytes()).map_err(unreadable)?;
    let Some(certificate) = chain.first() else {
        return Err(KubeadmError::CaCertificate {
            reason: "no certificate in it".to_owned(),
        });
    };
    let public_key = certificate.tbs_certificate().subject_public_key_info();
    let der = public_key.to_der().map_err(unreadable)?;
    let digest = Sha256::digest(&der);
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("sha256:{hex}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ELLIPTIC: &str = include_str!("testdata/ca-p256.pem");
    const RSA: &str = include_str!("testdata/ca-rsa.pem");

    /// The expected values are those of
    /// `openssl x509 -noout -pubkey | openssl pkey -pubin -outform der | sha256sum`.
    #[test]
    fn pins_are_those_of_openssl() {
        assert_eq!(
            ca_cert_hash(ELLIPTIC).unwrap(),
            "sha256:e6a7dcfe560df7c3c482be444e722d0af8de50b3842c6fa7a7fdf2ed8506b590"
        );
        assert_eq!(
            ca_cert_hash(RSA).unwrap(),
            "sha256:88be9faadd42842e4929d16a2b4c68e9f0ffeb11e760566ac98eebb298dd1ea5"
        );
    }

    #[test]
    fn the_first_of_several_counts() {
        assert_eq!(ca_cert_hash(&format!("{RSA}{ELLIPTIC}")), ca_cert_hash(RSA));
    }

    #[test]
    fn no_certificate_is_an_error() {
        for text in [
            "",
            "hello",
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        ] {
            assert!(matches!(
                ca_cert_hash(text),
                Err(KubeadmError::CaCertificate { .. })
            ));
        }
    }
}
