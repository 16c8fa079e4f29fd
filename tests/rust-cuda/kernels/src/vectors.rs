//! Linear algebra with glam, as `cuda_std::glam` gives it.
//!
//! On the host glam adds up the products of a `Vec4` in another order, by vector
//! instructions; so what sums over four parts is in f64 here, which has none of them.

use cuda_std::glam::{DMat4, DQuat, DVec3, DVec4, Mat3, Mat4, UVec3, Vec3};

/// A vector of numbers between -4 and 4, all different.
fn vector(x: f32) -> Vec3 {
    let x = x % 3.0;
    Vec3::new(x, 0.5 * x + 1.0, x * x - 2.0)
}

/// Its parts as one number that each of them changes.
fn mixed(v: Vec3) -> f32 {
    v.x + 3.0 * v.y + 7.0 * v.z
}

per_element! {
    /// `glam/vec3_operations`.
    fn vec3_operations(x: f32) -> f32 {
        let (a, b) = (vector(x), Vec3::new(1.0, -2.0, 0.5));
        let sums = a + b * 2.0 - a * b / Vec3::splat(3.0) + -b;
        mixed(sums) + a.dot(b) + mixed(a.cross(b)) + a.length_squared() + mixed(a.lerp(b, 0.25))
            + mixed(a.min(b)) + mixed(a.max(b)) + a.distance(b) + mixed(b.normalize())
            + mixed(a.reflect(Vec3::Y)) + a.to_array()[1]
    }

    /// `glam/mat3_vec3_multiply`.
    fn mat3_vec3_multiply(x: f32) -> f32 {
        let v = vector(x);
        let matrix = Mat3::from_cols(v, Vec3::new(2.0, 1.0, 0.0), Vec3::new(-1.0, 0.0, 3.0));
        mixed(matrix * v) + mixed(matrix.transpose() * v) + matrix.determinant()
    }

    /// `glam/mat4_operations`.
    fn mat4_operations(x: f32) -> f32 {
        let v = vector(x);
        let move_it = Mat4::from_translation(v);
        let grow = Mat4::from_scale(Vec3::new(2.0, 0.5, 3.0));
        let both = move_it * grow;
        let wide = both.as_dmat4();
        let back: DMat4 = wide.inverse();
        let row: DVec4 = wide.row(1);
        let sum = wide.determinant() + row.dot(DVec4::new(1.0, 2.0, 3.0, 4.0));
        mixed(both.transform_point3(v))
            + mixed((both.transpose() * both).transform_vector3(v))
            + mixed(back.transform_vector3(v.as_dvec3()).as_vec3())
            + sum as f32
    }

    /// A turn about an axis.
    fn quaternions(x: f64) -> f64 {
        let v = DVec3::new(x % 3.0, 1.0, x % 2.0);
        let turn = DQuat::from_xyzw(0.0, 0.6, 0.0, 0.8);
        let turned = turn * v + (turn * turn).mul_vec3(DVec3::X);
        turned.x + 3.0 * turned.y + 7.0 * turned.z
    }

    /// `lang/control_flow/issue_283`: a ray walks as far as the nearest thing is away; left by
    /// `break` and by two `return`s.
    fn ray_marching(x: f32) -> f32 {
        fn distance(p: Vec3) -> f32 {
            p.length() - 1.0
        }
        let (eye, direction) = (Vec3::new(0.0, x % 1.5, -3.0), Vec3::Z);
        let (mut depth, mut steps) = (0.0, 0);
        loop {
            if steps >= 40 {
                break;
            }
            let free = distance(eye + depth * direction);
            if free < 1e-3 {
                return depth;
            }
            depth += free;
            if depth > 10.0 {
                return 10.0;
            }
            steps += 1;
        }
        -1.0
    }

    /// Vectors of integers.
    fn integer_vectors(x: u32) -> u32 {
        let v = UVec3::new(x, 3, x >> 7);
        let turned = UVec3::new(v.y, v.z, v.x);
        let w = (v & UVec3::splat(0xffff)).wrapping_add(turned) ^ UVec3::ONE;
        w.x ^ w.y << 3 ^ w.z << 5
    }
}
