/// Distances for components of every size, and the sums that they come from, over vectors of equal length, eight
/// components at a time. Partial sums are added in a fixed order, so the same vectors give the same bits everywhere.
enum VectorMath {
    static func distance(_ left: [Double], _ right: [Double]) -> Double {
        let square = self.squaredDistance(left, right)
        // Outside, digits are lost, or everything.
        if (0x1p-960...Double.greatestFiniteMagnitude).contains(square) { return square.squareRoot() }
        var difference = zip(left, right).map { $0 - $1 }
        let scale = self.scale(&difference)
        return self.dot(difference, difference).squareRoot() / scale
    }

    /// The square of a vector's magnitude, once the vector is multiplied, if it must be, so that its products with other
    /// such vectors are normal numbers. Zero only for a vector of zeros.
    static func square(ofDirection vector: inout [Double]) -> Double {
        let square = self.dot(vector, vector)
        if (0x1p-500...0x1p500).contains(square) { return square }
        _ = self.scale(&vector)
        return self.dot(vector, vector)
    }

    /// Multiplies the vector by a power of two that makes its largest component about 1; returns that power.
    private static func scale(_ vector: inout [Double]) -> Double {
        let greatest = vector.reduce(0) { max($0, $1.magnitude) }
        guard greatest > 0, greatest.isFinite else { return 1 }
        // The inverse of the smallest numbers is none.
        let scale = Double(sign: .plus, exponent: min(-greatest.exponent, 1022), significand: 1)
        for index in vector.indices { vector[index] *= scale }
        return scale
    }

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
