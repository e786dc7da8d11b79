fn main() {
    for _ in 0..20 {
        println!("{}", "1".repeat(20));
    }
}
