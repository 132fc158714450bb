//! The container before several control planes, as part of the plan.

use kindr_providers::args::LOAD_BALANCER_ROLE;
use kindr_providers::{Dialect, spec};

use crate::config::{ClusterConfig, IpFamily, Role};
use crate::kubeadm::API_SERVER_BIND_PORT;
use crate::loadbalancer::{self, Balancer, Program};

/// Plans the balancer, if the cluster has one; `front` is its port on the host.
pub(super) fn plan(
    config: &ClusterConfig,
    dialect: &Dialect,
    program: Program,
    front: spec::Port,
) -> Option<spec::Node> {
    let name = config.load_balancer_name()?;
    let control_planes: Vec<_> = config.nodes_with(Role::ControlPlane).collect();
    let balancer = Balancer {
        cluster: config.name.clone(),
        name: name.clone(),
        control_planes: control_planes.iter().map(|node| node.name.clone()).collect(),
        port: API_SERVER_BIND_PORT,
        ipv6: config.networking.ip_family == IpFamily::Ipv6,
        resolver: dialect.resolver,
    };
    let (entrypoint, command) = balancer.command(program);
    Some(spec::Node {
        name,
        role: LOAD_BALANCER_ROLE.to_owned(),
        image: match program {
            Program::Envoy => loadbalancer::IMAGE.to_owned(),
            Program::Haproxy => control_planes.first()?.image.clone(),
        },
        mounts: Vec::new(),
        ports: vec![front],
        env: Vec::new(),
        limits: spec::Limits::default(),
        entrypoint: entrypoint.map(str::to_owned),
        command,
    })
}
