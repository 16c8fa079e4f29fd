use cuda_builder::CudaBuilder;

fn main() {
    CudaBuilder::new("kernels")
        // The GPU gives the host's bits.
        .fma_contraction(false)
        .copy_to("resources/kernels.ptx")
        .build()
        .unwrap();
}
