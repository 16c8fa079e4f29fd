use cuda_std::kernel;

type Input = &'static [f32];

#[kernel]
pub unsafe fn aliased(input: Input) {}

type Text = str;

#[kernel]
pub unsafe fn text(text: &Text) {}

#[kernel]
pub unsafe fn nothing(unit: ()) {}

fn main() {}
