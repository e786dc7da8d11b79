//! Lets grep match.
use std::process::Command;

fn main() {
    let script = "while read -r p; do for i in $(seq 20); do read -r t; echo \"$t\" | grep -cxE \"$p\"; done | tr -d '\\n'; echo; done";
    let status = Command::new("/bin/sh").args(["-c", script]).status().unwrap();
    assert!(status.success());
}
