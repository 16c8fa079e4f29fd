static PTX: &str = include_str!("../resources/vecadd.ptx");

fn main() {
    print!("{PTX}");
}
