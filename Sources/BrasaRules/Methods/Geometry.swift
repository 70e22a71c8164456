// Mathematics only: the library's sine and power, which Swift's own library does not have.
#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

enum Geometry {
    private static let earthRadius = 6_371_009.0

    /// Metres along a great circle of a sphere (haversine).
    static func distance(
        _ one: (latitude: Double, longitude: Double),
        _ other: (latitude: Double, longitude: Double)
    ) -> Double {
        let degree = Double.pi / 180
        let height = sin((other.latitude - one.latitude) * degree / 2)
        let width = sin((other.longitude - one.longitude) * degree / 2)
        let square = height * height + cos(one.latitude * degree) * cos(other.latitude * degree) * width * width
        return 2 * self.earthRadius * asin(min(1, square.squareRoot()))
    }

    static func power(_ base: Double, _ exponent: Double) -> Double {
        // One to the power of NaN is one in C and NaN in the language that rules come from.
        if exponent.isNaN || (base.magnitude == 1 && exponent.isInfinite) { return .nan }
        return pow(base, exponent)
    }
}
