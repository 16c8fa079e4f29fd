//! A path tracer: spheres that scatter or mirror the light of a sky.

use core::f32::consts::TAU;

use cuda_std::glam::Vec3;
use cuda_std::prelude::*;

/// A sphere.
#[derive(Copy, Clone)]
#[repr(C)]
pub struct Sphere {
    pub centre: Vec3,
    pub radius: f32,
    /// Which part of the light it gives back, red, green and blue.
    pub albedo: Vec3,
    /// From 0, where it scatters light, to 1, a mirror.
    pub gloss: f32,
}

/// What is drawn of a scene, by an eye that looks along the negative z axis.
#[derive(Copy, Clone)]
#[repr(C)]
pub struct View {
    pub width: u32,
    pub height: u32,
    pub eye: Vec3,
    /// Rays of a pixel.
    pub samples: u32,
    /// How often a ray may meet a sphere.
    pub bounces: u32,
}

/// Spheres on a large one.
pub const SPHERES: [Sphere; 4] = [
    Sphere::new([0.0, -100.5, -1.5], 100.0, [0.7, 0.7, 0.5], 0.0),
    Sphere::new([0.0, 0.0, -1.5], 0.5, [0.7, 0.3, 0.3], 0.0),
    Sphere::new([-1.1, 0.0, -1.6], 0.5, [0.9, 0.9, 0.9], 1.0),
    Sphere::new([1.1, 0.0, -1.6], 0.5, [0.8, 0.6, 0.2], 0.6),
];

impl Sphere {
    const fn new(centre: [f32; 3], radius: f32, albedo: [f32; 3], gloss: f32) -> Self {
        let (centre, albedo) = (Vec3::from_array(centre), Vec3::from_array(albedo));
        Sphere {
            centre,
            radius,
            albedo,
            gloss,
        }
    }
}

impl View {
    /// An image of so many pixels.
    pub fn new(width: u32, height: u32, samples: u32) -> Self {
        View {
            width,
            height,
            eye: Vec3::new(0.0, 0.2, 0.8),
            samples,
            bounces: 8,
        }
    }
}

/// Random numbers from 0 to 1: O'Neill, "PCG", 2014, the variant RXS M XS of 32 bits.
struct Random(u32);

impl Random {
    fn number(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let word = (self.0 >> ((self.0 >> 28) + 4) ^ self.0).wrapping_mul(277_803_737);
        ((word >> 22 ^ word) >> 8) as f32 / (1 << 24) as f32
    }

    /// A point of the unit sphere.
    fn direction(&mut self) -> Vec3 {
        let (z, angle) = (1.0 - 2.0 * self.number(), TAU * self.number());
        let radius = GpuFloat::sqrt(1.0 - z * z);
        // By name: where there is std, `angle.cos()` is that of the C library.
        Vec3::new(
            radius * GpuFloat::cos(angle),
            radius * GpuFloat::sin(angle),
            z,
        )
    }
}

/// How far away a ray meets a sphere.
fn distance(from: Vec3, along: Vec3, sphere: &Sphere) -> Option<f32> {
    let to = sphere.centre - from;
    let middle = to.dot(along);
    let square = sphere.radius * sphere.radius - (to - middle * along).length_squared();
    if square < 0.0 {
        return None;
    }
    let half = GpuFloat::sqrt(square);
    [middle - half, middle + half]
        .into_iter()
        .find(|&distance| distance > 1e-3)
}

/// The light that comes along a ray.
fn light(
    mut from: Vec3,
    mut along: Vec3,
    view: &View,
    spheres: &[Sphere],
    random: &mut Random,
) -> Vec3 {
    let mut passed = Vec3::ONE;
    for _ in 0..=view.bounces {
        let mut nearest: Option<(f32, &Sphere)> = None;
        for sphere in spheres {
            if let Some(distance) = distance(from, along, sphere)
                && nearest.is_none_or(|(least, _)| distance < least)
            {
                nearest = Some((distance, sphere));
            }
        }
        let Some((distance, sphere)) = nearest else {
            let up = 0.5 * (along.y + 1.0);
            return passed * Vec3::ONE.lerp(Vec3::new(0.5, 0.7, 1.0), up);
        };
        from += distance * along;
        let normal = (from - sphere.centre) / sphere.radius;
        let mirrored = along - 2.0 * along.dot(normal) * normal;
        let scattered = normal + random.direction();
        along = scattered.lerp(mirrored, sphere.gloss).normalize_or(normal);
        passed *= sphere.albedo;
    }
    Vec3::ZERO
}

/// The colour of a pixel, whose rays go through random points of it.
pub fn pixel(view: &View, spheres: &[Sphere], x: u32, y: u32) -> Vec3 {
    let mut random = Random((y * view.width + x).wrapping_mul(0x9e37_79b9));
    let size = view.height as f32;
    let mut sum = Vec3::ZERO;
    for _ in 0..view.samples {
        let right = (x as f32 + random.number() - 0.5 * view.width as f32) / size;
        let up = 0.5 - (y as f32 + random.number()) / size;
        let along = Vec3::new(right, up, -1.0).normalize();
        sum += light(view.eye, along, view, spheres, &mut random);
    }
    sum / view.samples as f32
}

/// A pixel a thread, in blocks of two dimensions.
#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn render(view: View, spheres: &[Sphere], pixels: *mut [f32; 3]) {
    let place = thread::index_2d();
    let (x, y) = (place.x, place.y);
    if x < view.width && y < view.height {
        let colour = pixel(&view, spheres, x, y).to_array();
        unsafe { *pixels.add((y * view.width + x) as usize) = colour };
    }
}
