//! The device layer through `cust` and `libcuda-lazy`, on a driver made of the
//! host's memory: what reaches the driver, what is refused before it, and what
//! its answers become.

mod artifacts;
mod attributes;
mod devices;
mod fake_cuda;
mod graphs;
mod host;
mod kernels;
mod launches;
mod parts;
mod views;

/// What an error says to a user.
fn sentence<T: std::fmt::Debug>(result: quadscan::Result<T>) -> String {
    let sentence = result.expect_err("it is refused").to_string();
    assert!(!sentence.contains('\n'), "{sentence}");
    sentence
}
