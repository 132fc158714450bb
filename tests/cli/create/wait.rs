//! `--wait`, which takes a duration as Go writes it.

use super::refused_at_once;
use crate::common::TestEnvironment;

#[test]
fn what_is_not_a_duration_is_refused() {
    for wait in ["abc", "5", "-3x", "5 minutes", ""] {
        let env = TestEnvironment::new().recorded();
        let flag = format!("--wait={wait}");
        refused_at_once(
            &env,
            env.run(["create", "cluster", &flag]).mentions(["--wait", wait]),
        );
    }
}

#[test]
fn a_duration_is_taken() {
    for wait in ["0", "0s", "5m", "1m30s", "1.5h", "300ms"] {
        let env = TestEnvironment::new().recorded();
        let create = env.run(["create", "cluster", "--wait", wait, "--config", "nowhere.yaml"]);
        // It goes on to the next thing that is wrong.
        let run = refused_at_once(&env, create.mentions(["nowhere.yaml"]));
        assert!(
            !run.stderr.contains("--wait"),
            "{wait} was refused:\n{}",
            run.report()
        );
    }
}
