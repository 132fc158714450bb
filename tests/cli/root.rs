//! The program without a command, and command lines that make no sense.

use crate::common::TestEnvironment;
use crate::kindr_only;

#[test]
fn help_is_for_reading_and_goes_to_stdout() {
    let env = TestEnvironment::new();
    let help = env.run(["--help"]).any_stdout().succeeds();
    for command in ["create", "delete", "get"] {
        assert!(
            help.stdout.contains(command),
            "the help does not name `{command}`:\n{}",
            help.report()
        );
    }
    assert_eq!(help.stderr, "");
}

#[test]
fn the_help_of_create_names_its_flags() {
    let env = TestEnvironment::new();
    let help = env.run(["create", "cluster", "--help"]).any_stdout().succeeds();
    for flag in [
        "--name",
        "--config",
        "--image",
        "--wait",
        "--retain",
        "--kubeconfig",
    ] {
        assert!(
            help.stdout.contains(flag),
            "the help does not name `{flag}`:\n{}",
            help.report()
        );
    }
}

#[test]
fn the_version_is_one_line() {
    let env = TestEnvironment::new();
    let version = env.run(["version"]).any_stdout().succeeds();
    assert_eq!(version.stdout.lines().count(), 1, "{}", version.report());
    assert!(version.stdout.starts_with("kind"), "{}", version.report());
}

#[test]
fn an_unknown_command_ends_as_misuse() {
    TestEnvironment::new()
        .run(["crate", "cluster"])
        .mentions(["crate"])
        .ends_as_misuse();
}

#[test]
fn an_unknown_flag_ends_as_misuse() {
    TestEnvironment::new()
        .run(["create", "cluster", "--nmae", "x"])
        .mentions(["--nmae"])
        .ends_as_misuse();
}

#[test]
fn the_last_of_a_repeated_flag_counts() {
    // Wrapper scripts rely on it: they add their flags after those that they were given.
    let env = TestEnvironment::new();
    env.run([
        "create",
        "cluster",
        "--config",
        "first.yaml",
        "--name",
        "one",
        "--config",
        "last.yaml",
    ])
    .args(["--wait", "1s", "--name", "two", "--wait", "2s"])
    .mentions(["last.yaml"])
    .fails();
}

#[test]
fn an_argument_where_none_belongs_ends_as_misuse() {
    let env = TestEnvironment::new();
    for command in [
        ["create", "cluster", "kt-stray"],
        ["delete", "cluster", "kt-stray"],
        ["get", "nodes", "kt-stray"],
    ] {
        env.run(command).mentions(["kt-stray"]).ends_as_misuse();
    }
}

#[test]
fn an_unknown_provider_is_refused_with_a_known_one() {
    kindr_only!("kind takes another provider when it does not know the one that was asked for");
    let env = TestEnvironment::new();
    for variable in ["KIND_EXPERIMENTAL_PROVIDER", "KINDR_PROVIDER"] {
        env.run(["get", "clusters"])
            .env(variable, "bogus")
            .mentions(["bogus", variable, "docker"])
            .fails();
    }
    env.run(["create", "cluster", "--provider", "bogus"])
        .mentions(["bogus", "--provider", "docker"])
        .fails();
}
