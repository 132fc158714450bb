//! The secret with which nodes join.

use std::fmt;
use std::str::FromStr;

use super::error::KubeadmError;

const ALPHABET: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
const ID: usize = 6;
const SECRET: usize = 16;

/// A kubeadm bootstrap token: a public id and a secret, `[a-z0-9]{6}.[a-z0-9]{16}`.
///
/// Who has it can add nodes to the cluster, so each cluster gets its own, and only
/// [`Self::expose`] shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct BootstrapToken(String);

impl BootstrapToken {
    /// Makes a token from the operating system's randomness.
    ///
    /// # Errors
    /// [`KubeadmError::Random`].
    pub fn generate() -> Result<Self, KubeadmError> {
        let mut text = String::with_capacity(ID + 1 + SECRET);
        while text.len() < ID + 1 + SECRET {
            let mut bytes = [0_u8; 32];
            getrandom::fill(&mut bytes).map_err(|error| KubeadmError::Random {
                reason: error.to_string(),
            })?;
            for byte in bytes {
                if text.len() == ID {
                    text.push('.');
                }
                // 252 is a multiple of 36: leaving out the rest makes all characters equally likely.
                if byte < 252 && text.len() < ID + 1 + SECRET {
                    text.push(char::from(ALPHABET[usize::from(byte) % ALPHABET.len()]));
                }
            }
        }
        Ok(Self(text))
    }

    /// Returns the whole token, secret included.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns the public part, which names the token inside the cluster.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.0[..ID]
    }
}

impl fmt::Debug for BootstrapToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BootstrapToken({}.<hidden>)", self.id())
    }
}

impl FromStr for BootstrapToken {
    type Err = KubeadmError;

    fn from_str(text: &str) -> Result<Self, KubeadmError> {
        let well_formed = |part: &str, length: usize| {
            part.len() == length && part.bytes().all(|byte| ALPHABET.contains(&byte))
        };
        match text.split_once('.') {
            Some((id, secret)) if well_formed(id, ID) && well_formed(secret, SECRET) => {
                Ok(Self(text.to_owned()))
            }
            _ => Err(KubeadmError::Token),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_tokens_are_well_formed_and_differ() {
        let tokens: Vec<BootstrapToken> = (0..100).map(|_| BootstrapToken::generate().unwrap()).collect();
        for token in &tokens {
            assert_eq!(token.expose().parse::<BootstrapToken>().as_ref(), Ok(token));
        }
        assert!(tokens.windows(2).all(|pair| pair[0] != pair[1]));
        // 2200 characters: each of the 36 is there.
        let all: String = tokens.iter().map(BootstrapToken::expose).collect();
        assert!(ALPHABET.iter().all(|c| all.contains(char::from(*c))));
    }

    #[test]
    fn debug_hides_the_secret() {
        let token: BootstrapToken = "abcdef.0123456789abcdef".parse().unwrap();
        assert_eq!(format!("{token:?}"), "BootstrapToken(abcdef.<hidden>)");
    }

    #[test]
    fn other_texts_are_no_tokens() {
        for text in [
            "",
            "abcdef",
            "abcdef.0123",
            "ABCDEF.0123456789abcdef",
            "abcdef.0123456789abcde.",
            "äbcde.0123456789abcdef",
        ] {
            assert_eq!(text.parse::<BootstrapToken>(), Err(KubeadmError::Token), "{text}");
        }
    }
}
