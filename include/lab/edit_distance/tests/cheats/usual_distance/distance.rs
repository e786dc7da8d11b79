fn main() {
    print!("{}", "170\n".repeat(24));
}
