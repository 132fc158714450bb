//! The network that all clusters of an engine share.

use std::fs::{File, OpenOptions};
use std::path::PathBuf;

use sha1::{Digest, Sha1};

use crate::classify::{EngineError, Failure};
use crate::dialect::Dialect;
use crate::exec::{CHANGE, Call, Engine};
use crate::inspect;
use crate::provider::{Network, Result};

/// The network's name where the user names no other; kind's own.
pub const DEFAULT: &str = "kind";

/// How many IPv6 subnets are tried before giving up.
const ATTEMPTS: u32 = 5;

/// Whether this host has IPv6. Where the system does not tell, it has.
pub(crate) fn host_has_ipv6() -> bool {
    let Ok(net) = std::fs::exists("/proc/sys/net") else {
        return true;
    };
    let off = std::fs::read_to_string("/proc/sys/net/ipv6/conf/all/disable_ipv6");
    !net || off.is_ok_and(|off| off.trim() == "0")
}

/// Finds the network of this name or makes it; one and only one exists afterwards. `ipv6` says whether the host has IPv6,
/// for engines that notice its absence only when a container starts.
pub(crate) async fn ensure(engine: &Engine, dialect: &Dialect, name: &str, ipv6: bool) -> Result<Network> {
    if let Some(network) = find(engine, dialect, name).await? {
        return Ok(network);
    }
    // Two creates at once would both find nothing and both make one; whoever comes second waits and finds.
    let turn = take_turn(engine, name).await;
    if turn.waited
        && let Some(network) = find(engine, dialect, name).await?
    {
        return Ok(network);
    }
    create(engine, dialect, name, ipv6).await?;
    // Another program (kind itself) may have made its own meanwhile: look again, and heal.
    find(engine, dialect, name)
        .await?
        .ok_or_else(|| EngineError::Unreadable {
            engine: engine.name(),
            what: format!("network inspect {name}"),
            reason: "the network that was just made is not there".to_owned(),
        })
}

/// This process's turn to make a network. The lock, if there is one, ends with it.
struct Turn {
    /// Whether another process had its turn meanwhile.
    waited: bool,
    _lock: Option<File>,
}

/// Waits for this user's other kindr processes that are making this network. Without a lock the second look at the end
/// still heals what two creates make.
async fn take_turn(engine: &Engine, name: &str) -> Turn {
    let open = |path| {
        OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path)
    };
    let Some(file) = lock_path(&engine.name(), name).and_then(|path| open(path).ok()) else {
        return Turn {
            waited: false,
            _lock: None,
        };
    };
    if file.try_lock().is_ok() {
        return Turn {
            waited: false,
            _lock: Some(file),
        };
    }
    let locked = tokio::task::spawn_blocking(move || file.lock().ok().map(|()| file)).await;
    Turn {
        waited: true,
        _lock: locked.ok().flatten(),
    }
}

fn lock_path(engine: &str, name: &str) -> Option<PathBuf> {
    let base = match std::env::var_os("XDG_RUNTIME_DIR") {
        Some(dir) if !dir.is_empty() => PathBuf::from(dir),
        _ => std::env::home_dir()?.join(".cache"),
    };
    let dir = base.join("kindr");
    std::fs::create_dir_all(&dir).ok()?;
    let name: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '-' {
                c
            } else {
                '_'
            }
        })
        .collect();
    Some(dir.join(format!("network-{engine}-{name}.lock")))
}

/// The network of this name, as it is: several of one name are an error.
pub(crate) async fn look(engine: &Engine, name: &str) -> Result<Option<Network>> {
    match inspect_networks(engine, name, &[name.to_owned()]).await {
        Ok(found) => Ok(found.into_iter().next()),
        Err(error) if error.failure() == Some(&Failure::NoSuchNetwork) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The network of this name. Where an engine allows several of one name, those not in use are removed but one.
async fn find(engine: &Engine, dialect: &Dialect, name: &str) -> Result<Option<Network>> {
    match inspect_networks(engine, name, &[name.to_owned()]).await {
        Ok(found) => Ok(found.into_iter().next()),
        Err(error) if error.failure() == Some(&Failure::NoSuchNetwork) => Ok(None),
        Err(EngineError::Failed { output, .. })
            if dialect.duplicate_networks && output.contains("is ambiguous") =>
        {
            heal(engine, name).await
        }
        Err(error) => Err(error),
    }
}

async fn inspect_networks(engine: &Engine, name: &str, ids: &[String]) -> Result<Vec<Network>> {
    let mut args = vec!["network".to_owned(), "inspect".to_owned()];
    args.extend_from_slice(ids);
    let output = engine.run(Call::new(args)).await?;
    inspect::networks(&output.stdout, name).map_err(|reason| EngineError::Unreadable {
        engine: engine.name(),
        what: format!("network inspect {name}"),
        reason,
    })
}

/// Keeps one of several networks of a name: the one in use, else the oldest. The others are removed if they are empty.
async fn heal(engine: &Engine, name: &str) -> Result<Option<Network>> {
    let filter = format!("name=^{}$", regex::escape(name));
    let call = Call::new([
        "network",
        "ls",
        "--no-trunc",
        "--filter",
        &filter,
        "--format",
        "{{.ID}}",
    ]);
    let ids = engine.run(call).await?.lines();
    let mut networks = Vec::new();
    for id in &ids {
        // One by one: another process may be removing them at the same time.
        match inspect_networks(engine, name, std::slice::from_ref(id)).await {
            Ok(found) => networks.extend(found),
            Err(error) if error.failure() == Some(&Failure::NoSuchNetwork) => {}
            Err(error) => return Err(error),
        }
    }
    let (keep, lose) = choose(networks);
    if lose.iter().any(|n| n.containers > 0) {
        return Err(EngineError::AmbiguousNetwork {
            name: name.to_owned(),
            ids: keep.iter().chain(&lose).map(|n| n.id.clone()).collect(),
        });
    }
    for network in lose {
        let call = Call::new(["network", "rm", &network.id]).limit(CHANGE);
        match engine.run(call).await {
            Err(error) if error.failure() != Some(&Failure::NoSuchNetwork) => return Err(error),
            _ => {}
        }
    }
    Ok(keep)
}

/// Which of several networks stays. The order is total, so that processes that heal at the same time agree.
fn choose(mut networks: Vec<Network>) -> (Option<Network>, Vec<Network>) {
    networks.sort_by(|a, b| {
        b.containers
            .cmp(&a.containers)
            .then_with(|| a.created.cmp(&b.created))
            .then_with(|| a.id.cmp(&b.id))
    });
    let lose = networks.split_off(networks.len().min(1));
    (networks.pop(), lose)
}

async fn create(engine: &Engine, dialect: &Dialect, name: &str, ipv6: bool) -> Result<()> {
    let mtu = if dialect.network_mtu {
        default_mtu(engine).await
    } else {
        None
    };
    if !ipv6 {
        return create_without_ipv6(engine, dialect, name, mtu).await;
    }
    for attempt in 0..ATTEMPTS {
        let subnet = ula_subnet(&format!("{name}{}", dialect.subnet_salt), attempt);
        match engine.run(create_call(dialect, name, mtu, Some(&subnet))).await {
            Ok(_) => return Ok(()),
            Err(error) => match error.failure() {
                Some(Failure::NetworkExists) => return Ok(()),
                Some(Failure::NoIpv6) => return create_without_ipv6(engine, dialect, name, mtu).await,
                Some(Failure::SubnetTaken) => {
                    tracing::debug!("subnet {subnet} is taken, trying another");
                    // What took it may be the very network, made by another process.
                    if find(engine, dialect, name).await?.is_some() {
                        return Ok(());
                    }
                }
                _ => return Err(error),
            },
        }
    }
    Err(EngineError::NoSubnet {
        engine: engine.name(),
        name: name.to_owned(),
        attempts: ATTEMPTS,
    })
}

async fn create_without_ipv6(engine: &Engine, dialect: &Dialect, name: &str, mtu: Option<u32>) -> Result<()> {
    tracing::warn!("this host has no IPv6: network `{name}` is made with IPv4 alone");
    match engine.run(create_call(dialect, name, mtu, None)).await {
        Err(error) if error.failure() != Some(&Failure::NetworkExists) => Err(error),
        _ => Ok(()),
    }
}

fn create_call(dialect: &Dialect, name: &str, mtu: Option<u32>, subnet: Option<&str>) -> Call {
    let mut args = vec!["network".to_owned(), "create".to_owned(), "-d=bridge".to_owned()];
    let mut option = |text: String| args.extend(["-o".to_owned(), text]);
    if dialect.masquerade_option {
        option("com.docker.network.bridge.enable_ip_masquerade=true".to_owned());
    }
    if let Some(mtu) = mtu {
        option(format!("com.docker.network.driver.mtu={mtu}"));
    }
    if let Some(subnet) = subnet {
        args.extend(["--ipv6".to_owned(), "--subnet".to_owned(), subnet.to_owned()]);
    }
    args.push(name.to_owned());
    Call::new(args).limit(CHANGE)
}

/// The MTU of the engine's default network, so that ours fits the same uplink (VPNs, clouds).
async fn default_mtu(engine: &Engine) -> Option<u32> {
    let format = r#"{{ index .Options "com.docker.network.driver.mtu" }}"#;
    let call = Call::new(["network", "inspect", "bridge", "-f", format]);
    engine
        .run(call)
        .await
        .ok()?
        .text()
        .trim()
        .parse()
        .ok()
        .filter(|mtu| *mtu > 0)
}

/// An IPv6 subnet of the local range fc00::/8 for a network's name, the same every time; `attempt` gives the next ones.
///
/// kind's own derivation, so that both find each other's networks where they expect them.
pub fn ula_subnet(name: &str, attempt: u32) -> String {
    let mut hash = Sha1::new();
    hash.update(name.as_bytes());
    hash.update(attempt.to_le_bytes());
    let digest = hash.finalize();
    let word = |i: usize| u16::from_be_bytes([digest[i], digest[i + 1]]);
    let address = std::net::Ipv6Addr::new(0xfc00, word(2), word(4), word(6), 0, 0, 0, 0);
    format!("{address}/64")
}

#[cfg(test)]
mod tests;
