//! The documents of the components that kubeadm configures on every node.

use std::collections::BTreeMap;

use super::build::Builder;
use super::documents::{Conntrack, Header, Iptables, KubeProxyConfiguration, KubeletConfiguration};
use crate::config::ProxyMode;

impl Builder<'_> {
    pub(super) fn kubelet_configuration(&self) -> KubeletConfiguration {
        let any = self.is_ipv6().then_some("::");
        let keep_cgroup_v1 = self.cluster.cgroup_v1 && self.dialect.refuses_cgroup_v1;
        KubeletConfiguration {
            header: Header {
                api_version: "kubelet.config.k8s.io/v1beta1",
                kind: "KubeletConfiguration",
            },
            cgroup_driver: self.dialect.cgroup_driver,
            cgroup_root: "/kubelet",
            fail_cgroup_v1: keep_cgroup_v1.then_some(false),
            fail_swap_on: false,
            address: any,
            healthz_bind_address: any,
            // The disk that the kubelet sees is the host's: it must not clear it up.
            image_gc_high_threshold_percent: 100,
            eviction_hard: BTreeMap::from([
                ("nodefs.available", "0%"),
                ("nodefs.inodesFree", "0%"),
                ("imagefs.available", "0%"),
            ]),
            feature_gates: self.gates.clone(),
        }
    }

    pub(super) fn kube_proxy_configuration(&self) -> KubeProxyConfiguration {
        let rootless = self.cluster.rootless;
        let mode = self.cluster.kube_proxy_mode;
        // Zero leaves the kernel's setting alone: these are the whole machine's, or, to a rootless
        // engine, read-only.
        let leave_alone = rootless.then_some("0s");
        let liberal = mode == ProxyMode::Nftables && !rootless;
        KubeProxyConfiguration {
            header: Header {
                api_version: "kubeproxy.config.k8s.io/v1alpha1",
                kind: "KubeProxyConfiguration",
            },
            mode: mode.as_str(),
            feature_gates: self.gates.clone(),
            iptables: Iptables {
                min_sync_period: "1s",
            },
            conntrack: Conntrack {
                max_per_core: 0,
                tcp_be_liberal: liberal.then_some(true),
                tcp_established_timeout: leave_alone,
                tcp_close_wait_timeout: leave_alone,
            },
        }
    }
}
