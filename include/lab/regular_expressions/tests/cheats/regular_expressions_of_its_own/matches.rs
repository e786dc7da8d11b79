fn main() {
    for _ in 0..20 {
        println!("[01]{{20}}|.*");
    }
}
