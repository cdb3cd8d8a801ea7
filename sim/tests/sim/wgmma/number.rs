// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The types of elements, by their numbers of bits.

/// A type of elements.
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    pub name: &'static str,
    format: Format,
}

#[derive(Clone, Copy, Debug)]
enum Format {
    /// Bits in memory, bits of the exponent, bits of the fraction.
    Float(usize, u32, u32),
    /// Bits in memory, and whether numbers have a sign.
    Integer(usize, bool),
}

const F16: Numbers = Numbers { name: ".f16", format: Format::Float(16, 5, 10) };
const BF16: Numbers = Numbers { name: ".bf16", format: Format::Float(16, 8, 7) };
const F32: Numbers = Numbers { name: ".f32", format: Format::Float(32, 8, 23) };
const TF32: Numbers = Numbers { name: ".tf32", format: Format::Float(32, 8, 10) };
const E4M3: Numbers = Numbers { name: ".e4m3", format: Format::Float(8, 4, 3) };
const E5M2: Numbers = Numbers { name: ".e5m2", format: Format::Float(8, 5, 2) };
const S8: Numbers = Numbers { name: ".s8", format: Format::Integer(8, true) };
const U8: Numbers = Numbers { name: ".u8", format: Format::Integer(8, false) };
const S32: Numbers = Numbers { name: ".s32", format: Format::Integer(32, true) };

/// The types of A, B and D of the products.
pub const KINDS: [[Numbers; 3]; 16] = [
    [F16, F16, F32],
    [F16, F16, F16],
    [BF16, BF16, F32],
    [TF32, TF32, F32],
    [E4M3, E4M3, F32],
    [E4M3, E5M2, F32],
    [E5M2, E4M3, F16],
    [E5M2, E5M2, F16],
    [E4M3, E4M3, F16],
    [E5M2, E5M2, F32],
    [S8, S8, S32],
    [S8, U8, S32],
    [U8, S8, S32],
    [U8, U8, S32],
    [F16, F16, F32],
    [BF16, BF16, F32],
];

impl Numbers {
    pub fn bytes(self) -> usize {
        match self.format {
            Format::Float(bits, ..) | Format::Integer(bits, _) => bits / 8,
        }
    }

    pub fn is_integer(self) -> bool {
        matches!(self.format, Format::Integer(..))
    }

    pub fn value(self, bits: u64) -> f64 {
        match self.format {
            Format::Integer(count, true) if bits >> (count - 1) & 1 == 1 => bits as f64 - 2f64.powi(count as i32),
            Format::Integer(..) => bits as f64,
            Format::Float(count, exponent_bits, fraction_bits) => {
                let sign = if bits >> (count - 1) & 1 == 1 { -1.0 } else { 1.0 };
                // The lowest bits of a type with fewer bits than its register are ignored.
                let low = count as u32 - 1 - exponent_bits - fraction_bits;
                let fraction = (bits >> low & ((1 << fraction_bits) - 1)) as f64 / 2f64.powi(fraction_bits as i32);
                let exponent = (bits >> (low + fraction_bits) & ((1 << exponent_bits) - 1)) as i32;
                let bias = (1 << (exponent_bits - 1)) - 1;
                let (whole, power) = if exponent == 0 { (0.0, 1 - bias) } else { (1.0, exponent - bias) };
                sign * (whole + fraction) * 2f64.powi(power)
            }
        }
    }

    /// The bits of a number of moderate size, so that no sum overflows.
    pub fn random(self, random: &mut fastrand::Rng) -> u64 {
        loop {
            let bits = random.u64(..) & (u64::MAX >> (64 - 8 * self.bytes()));
            let size = self.value(bits).abs();
            if self.is_integer() || size < 16.0 && (size == 0.0 || size > 1e-6 || random.u8(0..40) == 0) {
                return bits;
            }
        }
    }

    /// The number that a sum with the error `error` becomes in this type, and its greatest error.
    pub fn rounded(self, sum: f64, error: f64, saturate: bool) -> (f64, f64) {
        match self.format {
            Format::Integer(..) if saturate => ((sum as i64).clamp(i32::MIN.into(), i32::MAX.into()) as f64, 0.0),
            Format::Integer(..) => (f64::from(sum as i64 as i32), 0.0),
            Format::Float(_, exponent_bits, fraction_bits) => {
                let smallest = 2f64.powi(2 - (1 << (exponent_bits - 1)) - fraction_bits as i32);
                (sum, error + sum.abs() * 2f64.powi(-1 - fraction_bits as i32) * 1.01 + smallest)
            }
        }
    }
}
