//! Lets awk add up.
use std::process::Command;

fn main() {
    let script = "NR > 1 { split($0, q, \"\\\"\"); split(q[1], a, \",\"); t[a[2]] += substr(q[3], 2) } END { for (k in t) printf \"%s,%.2f\\n\", k, t[k] | \"sort\" }";
    let status = Command::new("/usr/bin/awk").arg(script).status().unwrap();
    assert!(status.success());
}
