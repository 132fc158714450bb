//! Node images whose kubeadm and kubectl do nothing.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use base64::Engine as _;

use crate::common::{TestEnvironment, node_image};

/// A certificate, for the credentials that kubeadm would have made.
const AUTHORITY: &str = include_str!("../../src/kubeadm/testdata/ca-p256.pem");

/// In place of kubeadm: `init` leaves the files that the steps after it ask for, and nothing is ever started.
const KUBEADM: &str = "#!/bin/sh
[ \"$1 $2\" = 'init phase' ] && exit 0
[ \"$1\" = init ] || exit 0
mkdir -p /etc/kubernetes/pki/etcd
for file in ca front-proxy-ca etcd/ca; do
    echo certificate >/etc/kubernetes/pki/$file.crt
    echo key >/etc/kubernetes/pki/$file.key
done
echo key >/etc/kubernetes/pki/sa.key
echo key >/etc/kubernetes/pki/sa.pub
cp /kind/admin.conf.of-the-test /etc/kubernetes/admin.conf
";

/// In place of kubectl: all is well.
const KUBECTL: &str = "#!/bin/sh
cat >/dev/null
";

/// The images of a test, by the Kubernetes version that they claim to have.
pub struct Images<'w> {
    world: &'w TestEnvironment,
    own: String,
    other: String,
    by_version: RefCell<BTreeMap<String, &'static str>>,
}

impl<'w> Images<'w> {
    /// Makes the images that most cases need.
    pub fn new(world: &'w TestEnvironment) -> Self {
        let credentials = credentials();
        let files = [
            ("/usr/bin/kubeadm", KUBEADM),
            ("/usr/bin/kubectl", KUBECTL),
            ("/kind/admin.conf.of-the-test", &credentials),
        ];
        let sources: Vec<(String, &str)> = files
            .iter()
            .map(|(target, text)| (text_of(world.write(&format!("image{target}"), text)), *target))
            .collect();
        let files: Vec<(&str, &str)> = sources.iter().map(|(from, to)| (from.as_str(), *to)).collect();
        let own = world.image_name();
        world.engine().derive_image(&node_image(), &own, &files, &[]);
        let other = world.image_name();
        world.engine().run(["tag", &own, &other]);
        Self {
            world,
            own,
            other,
            by_version: RefCell::default(),
        }
    }

    /// Returns the image that claims a version, or without one the version that it has.
    pub fn of(&self, version: Option<&str>) -> &str {
        let Some(version) = version else {
            return &self.own;
        };
        self.by_version
            .borrow_mut()
            .entry(version.to_owned())
            .or_insert_with(|| {
                let file = text_of(self.world.write("image/version", version));
                let name = self.world.image_name();
                let files = [(file.as_str(), "/kind/version")];
                self.world.engine().derive_image(&self.own, &name, &files, &[]);
                name.leak()
            })
    }

    /// Returns another image with the same in it.
    pub fn other(&self) -> &str {
        &self.other
    }
}

/// Makes a file a program, and its path a text.
fn text_of(path: PathBuf) -> String {
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("change a file's mode");
    path.into_os_string()
        .into_string()
        .expect("paths of tests are UTF-8")
}

fn credentials() -> String {
    let encode = |text: &str| base64::engine::general_purpose::STANDARD.encode(text);
    let (authority, key) = (encode(AUTHORITY), encode("key"));
    format!(
        "apiVersion: v1
kind: Config
clusters:
- name: test
  cluster: {{certificate-authority-data: {authority}, server: \"https://of-the-test:6443\"}}
users:
- name: kubernetes-admin
  user: {{client-certificate-data: {authority}, client-key-data: {key}}}
contexts:
- name: kubernetes-admin@test
  context: {{cluster: test, user: kubernetes-admin}}
current-context: kubernetes-admin@test
"
    )
}
