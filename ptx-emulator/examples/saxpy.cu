// y = a * x + y, an element a thread.
// nvcc --ptx -arch=sm_75 -lineinfo saxpy.cu
extern "C" __global__ void saxpy(unsigned n, float a, const float *x, float *y) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
