/// Sums over vectors of equal length, eight components at a time. Partial sums are added in a fixed order, so the same
/// vectors give the same bits everywhere.
enum VectorMath {
    static func dot(_ left: [Double], _ right: [Double]) -> Double {
        self.sum(left, right, wide: { $0 * $1 }, narrow: { $0 * $1 })
    }

    static func squaredDistance(_ left: [Double], _ right: [Double]) -> Double {
        self.sum(left, right, wide: { ($0 - $1) * ($0 - $1) }, narrow: { ($0 - $1) * ($0 - $1) })
    }

    @inline(__always)
    private static func sum(
        _ left: [Double],
        _ right: [Double],
        wide: (SIMD8<Double>, SIMD8<Double>) -> SIMD8<Double>,
        narrow: (Double, Double) -> Double
    ) -> Double {
        let count = min(left.count, right.count)
        return left.withUnsafeBytes { left in
            right.withUnsafeBytes { right in
                var lanes = SIMD8<Double>.zero
                var index = 0
                while index &+ 8 <= count {
                    let offset = index &* MemoryLayout<Double>.stride
                    lanes += wide(
                        left.loadUnaligned(fromByteOffset: offset, as: SIMD8<Double>.self),
                        right.loadUnaligned(fromByteOffset: offset, as: SIMD8<Double>.self)
                    )
                    index &+= 8
                }
                var total = lanes.sum()
                while index < count {
                    let offset = index &* MemoryLayout<Double>.stride
                    total += narrow(
                        left.loadUnaligned(fromByteOffset: offset, as: Double.self),
                        right.loadUnaligned(fromByteOffset: offset, as: Double.self)
                    )
                    index &+= 1
                }
                return total
            }
        }
    }
}
