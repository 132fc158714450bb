//! What a command does while it runs, for whoever shows it: a terminal, a log, a program.

use std::fmt::{self, Display};
use std::sync::Arc;
use std::time::Duration;

/// A part of creating a cluster that the user can see begin and end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// Ask the engine for its facts and see that nothing stands in the way.
    Check,
    /// Find or make the network.
    Network,
    /// Find or fetch the node image.
    Image,
    /// Make the containers and wait for their systems.
    Nodes,
    /// Run kubeadm init on the first control plane.
    ControlPlane,
    /// Install the pod network and the storage class.
    Addons,
    /// Run kubeadm join on the other nodes.
    Workers,
    /// Wait until all nodes are ready.
    Ready,
    /// Write the user's kubeconfig.
    Kubeconfig,
}

impl Step {
    /// What is being done.
    pub fn title(self) -> &'static str {
        match self {
            Self::Check => "Checking the engine",
            Self::Network => "Preparing the network",
            Self::Image => "Getting the node image",
            Self::Nodes => "Starting the nodes",
            Self::ControlPlane => "Starting the control plane",
            Self::Addons => "Installing pod network and storage class",
            Self::Workers => "Joining the other nodes",
            Self::Ready => "Waiting for the nodes to be ready",
            Self::Kubeconfig => "Writing the kubeconfig",
        }
    }
}

impl Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

/// Something that happened.
#[derive(Debug, Clone)]
pub enum Event {
    /// A step began.
    Started(Step),
    /// A step ended well.
    Finished {
        /// The step.
        step: Step,
        /// How long it took.
        took: Duration,
    },
    /// A step failed; the error itself comes from the command.
    Failed(Step),
    /// Something that the user should know, and that stops nothing.
    Warning(String),
    /// Something that goes on outside the steps, such as clearing up.
    Note(String),
}

/// Where events go. Cheap to clone.
#[derive(Clone)]
pub struct Events(Arc<dyn Fn(Event) + Send + Sync>);

impl Events {
    /// Hands each event to `sink`, which must not block.
    pub fn new(sink: impl Fn(Event) + Send + Sync + 'static) -> Self {
        Self(Arc::new(sink))
    }

    /// Sends one event.
    pub fn send(&self, event: Event) {
        (self.0)(event);
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Events")
    }
}
