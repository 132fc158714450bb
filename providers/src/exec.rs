//! The one place that starts an engine's process.
//!
//! Every call has a time limit, no standard input unless it is given, a fixed locale (messages are parsed), its own
//! process group (a Ctrl-C at the terminal reaches kindr alone, which then ends its children in order), and is traced.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, Command};

use crate::classify::{EngineError, Failure};

/// Time limit for questions that an engine answers from memory.
pub const QUICK: Duration = Duration::from_secs(30);

/// Time limit for calls that make or remove containers and networks.
pub const CHANGE: Duration = Duration::from_secs(180);

/// One engine: the program and nothing else. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Engine {
    /// The program as it is looked up on the PATH, or its path.
    pub binary: PathBuf,
}

/// One call of an engine.
#[derive(Debug, Clone)]
pub struct Call {
    args: Vec<OsString>,
    stdin: Option<Vec<u8>>,
    pub(crate) limit: Duration,
}

/// What a call that ended printed.
#[derive(Debug, Clone)]
pub struct Output {
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// How it ended.
    pub status: ExitStatus,
}

impl Call {
    /// A call with these arguments, no standard input and the limit [`QUICK`].
    pub fn new<I, S>(args: I) -> Self
    where
        I: IntoIterator<Item = S>,
        S: Into<OsString>,
    {
        Self {
            args: args.into_iter().map(Into::into).collect(),
            stdin: None,
            limit: QUICK,
        }
    }

    /// Feeds the call these bytes.
    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// Sets the time limit.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// The arguments, for messages.
    pub fn args(&self) -> Vec<String> {
        self.args
            .iter()
            .map(|arg| arg.to_string_lossy().into_owned())
            .collect()
    }
}

impl Output {
    /// Standard output as text; what is not UTF-8 is replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// The lines of standard output that are not blank.
    pub fn lines(&self) -> Vec<String> {
        self.text()
            .lines()
            .map(|line| line.trim_end_matches('\r').to_owned())
            .filter(|line| !line.trim().is_empty())
            .collect()
    }
}

impl Engine {
    /// An engine by its program's name or path.
    pub fn new(binary: impl Into<PathBuf>) -> Self {
        Self {
            binary: binary.into(),
        }
    }

    /// The program's name, for messages.
    pub fn name(&self) -> String {
        self.binary.file_name().map_or_else(
            || self.binary.display().to_string(),
            |n| n.to_string_lossy().into_owned(),
        )
    }

    pub(crate) fn spawn(&self, call: &Call) -> Result<Child, EngineError> {
        let mut command = Command::new(&self.binary);
        command
            .args(&call.args)
            .env("LC_ALL", "C")
            .stdin(if call.stdin.is_some() {
                Stdio::piped()
            } else {
                Stdio::null()
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        tracing::debug!(target: "kindr::engine", binary = %self.binary.display(), args = ?call.args(), "start");
        command.spawn().map_err(|error| {
            if error.kind() == std::io::ErrorKind::NotFound {
                EngineError::NotInstalled { engine: self.name() }
            } else {
                EngineError::NotStarted {
                    engine: self.name(),
                    source: error,
                }
            }
        })
    }

    /// Runs a call to its end, whatever its exit code.
    ///
    /// # Errors
    /// The program is missing or cannot be started, or its time limit passed.
    pub async fn output(&self, call: Call) -> Result<Output, EngineError> {
        let started = Instant::now();
        let mut child = self.spawn(&call)?;
        let input = call.stdin.clone().zip(child.stdin.take());
        let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
        // Input and both outputs move together, so that no full pipe can stop the others.
        let feed = async move {
            if let Some((bytes, mut pipe)) = input {
                // A program that ends before it read everything says why itself.
                let _ = pipe.write_all(&bytes).await;
                let _ = pipe.shutdown().await;
            }
        };
        let read_out = async move {
            let mut bytes = Vec::new();
            if let Some(pipe) = out.as_mut() {
                pipe.read_to_end(&mut bytes).await?;
            }
            Ok::<_, std::io::Error>(bytes)
        };
        let read_err = async move {
            let mut bytes = Vec::new();
            if let Some(pipe) = err.as_mut() {
                pipe.read_to_end(&mut bytes).await?;
            }
            Ok::<_, std::io::Error>(bytes)
        };
        let all = async {
            let ((), stdout, stderr, status) = tokio::join!(feed, read_out, read_err, child.wait());
            Ok::<_, std::io::Error>(Output {
                stdout: stdout?,
                stderr: stderr?,
                status: status?,
            })
        };
        let result = match tokio::time::timeout(call.limit, all).await {
            Ok(Ok(output)) => Ok(output),
            Ok(Err(source)) => Err(EngineError::NotStarted {
                engine: self.name(),
                source,
            }),
            Err(_) => Err(EngineError::TimedOut {
                engine: self.name(),
                args: call.args(),
                limit: call.limit,
            }),
        };
        tracing::debug!(
            target: "kindr::engine",
            args = ?call.args(),
            ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            status = result.as_ref().ok().and_then(|o| o.status.code()),
            "end"
        );
        result
    }

    /// Runs a call that must succeed.
    ///
    /// # Errors
    /// As [`Engine::output`], or [`EngineError::Failed`] with what the engine printed where the exit code is not 0.
    pub async fn run(&self, call: Call) -> Result<Output, EngineError> {
        let args = call.args();
        let output = self.output(call).await?;
        if output.status.success() {
            return Ok(output);
        }
        Err(self.failed(args, &output))
    }

    /// A finished call's failure as an error.
    pub fn failed(&self, args: Vec<String>, output: &Output) -> EngineError {
        let mut text = String::from_utf8_lossy(&output.stderr).into_owned();
        if !output.stdout.is_empty() {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(&output.text());
        }
        EngineError::Failed {
            engine: self.name(),
            args,
            code: output.status.code(),
            failure: Failure::of(&text),
            output: text,
        }
    }

    /// Runs a call and hands each line that it prints to `line` until that says to stop; then the process is ended.
    ///
    /// Returns true if `line` stopped it and false if the program ended by itself.
    ///
    /// # Errors
    /// The program is missing or cannot be started, or its time limit passed.
    pub async fn follow<F>(&self, call: Call, mut line: F) -> Result<bool, EngineError>
    where
        F: FnMut(&str) -> bool + Send,
    {
        let mut child = self.spawn(&call)?;
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let watch = async {
            let mut out = out.map(|pipe| BufReader::new(pipe).split(b'\n'));
            let mut err = err.map(|pipe| BufReader::new(pipe).split(b'\n'));
            loop {
                let next = tokio::select! {
                    next = next_line(&mut out), if out.is_some() => next,
                    next = next_line(&mut err), if err.is_some() => next,
                    else => return false,
                };
                if let Some(bytes) = next
                    && line(String::from_utf8_lossy(&bytes).trim_end_matches('\r'))
                {
                    return true;
                }
            }
        };
        match tokio::time::timeout(call.limit, watch).await {
            Ok(stopped) => {
                // The reader has what it wanted; an error here means that the program ended by itself.
                let _ = child.start_kill();
                let _ = child.wait().await;
                Ok(stopped)
            }
            Err(_) => Err(EngineError::TimedOut {
                engine: self.name(),
                args: call.args(),
                limit: call.limit,
            }),
        }
    }
}

/// The next line of a pipe; at its end the pipe is put away.
async fn next_line<R>(lines: &mut Option<tokio::io::Split<R>>) -> Option<Vec<u8>>
where
    R: tokio::io::AsyncBufRead + Unpin,
{
    let next = match lines {
        Some(lines) => lines.next_segment().await.ok().flatten(),
        None => None,
    };
    if next.is_none() {
        *lines = None;
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_missing_program_is_told_apart() {
        let error = Engine::new("no-such-engine-anywhere")
            .run(Call::new(["info"]))
            .await
            .unwrap_err();
        assert!(matches!(error, EngineError::NotInstalled { engine } if engine == "no-such-engine-anywhere"));
    }

    #[tokio::test]
    async fn a_call_past_its_limit_ends() {
        let started = Instant::now();
        let error = Engine::new("sleep")
            .run(Call::new(["60"]).limit(Duration::from_millis(100)))
            .await
            .unwrap_err();
        assert!(matches!(error, EngineError::TimedOut { .. }), "{error}");
        assert!(started.elapsed() < Duration::from_secs(30));
    }

    #[tokio::test]
    async fn large_input_and_output_do_not_block_each_other() {
        let bytes = vec![b'x'; 1 << 20];
        let output = Engine::new("cat")
            .run(Call::new(Vec::<OsString>::new()).stdin(bytes.clone()))
            .await
            .unwrap();
        assert_eq!(output.stdout, bytes);
    }

    #[tokio::test]
    async fn following_stops_at_the_line_or_at_the_end() {
        let sh = Engine::new("sh");
        let seen = sh
            .follow(Call::new(["-c", "echo a; echo b >&2; sleep 60"]), |l| l == "b")
            .await
            .unwrap();
        assert!(seen);
        let seen = sh
            .follow(Call::new(["-c", "echo a"]), |l| l == "b")
            .await
            .unwrap();
        assert!(!seen);
    }

    #[tokio::test]
    async fn a_failure_keeps_both_streams() {
        let error = Engine::new("sh")
            .run(Call::new(["-c", "echo out; echo err >&2; exit 3"]))
            .await
            .unwrap_err();
        let EngineError::Failed { code, output, .. } = error else {
            panic!("{error}")
        };
        assert_eq!(code, Some(3));
        assert_eq!(output, "err\nout\n");
    }
}
