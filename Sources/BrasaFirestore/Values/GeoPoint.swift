/// A place on the earth in degrees.
public final class GeoPoint: Codable, Sendable {
    public let latitude: Double
    public let longitude: Double

    /// Stops the program when the latitude is not in −90…90 or the longitude not in −180…180.
    public convenience init(latitude: Double, longitude: Double) {
        self.init(checked: trapping { () throws(UsageError) in try Self.check(latitude, longitude) })
    }

    private init(checked: (latitude: Double, longitude: Double)) {
        self.latitude = checked.latitude
        self.longitude = checked.longitude
    }

    /// A place out of the database, which has checked it.
    init(storedLatitude latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    private static func check(_ latitude: Double, _ longitude: Double) throws(UsageError) -> (Double, Double) {
        guard (-90...90).contains(latitude) else {
            throw UsageError("A latitude must be in the range of [-90, 90], but was \(latitude).")
        }
        guard (-180...180).contains(longitude) else {
            throw UsageError("A longitude must be in the range of [-180, 180], but was \(longitude).")
        }
        return (latitude, longitude)
    }

    private enum CodingKeys: String, CodingKey {
        case latitude, longitude
    }

    public convenience init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let latitude = try container.decode(Double.self, forKey: .latitude)
        let longitude = try container.decode(Double.self, forKey: .longitude)
        do {
            self.init(checked: try Self.check(latitude, longitude))
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: error.message)
            )
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.latitude, forKey: .latitude)
        try container.encode(self.longitude, forKey: .longitude)
    }
}

/// Bit by bit: 0.0 and -0.0 are two places.
extension GeoPoint: Hashable {
    public static func == (left: GeoPoint, right: GeoPoint) -> Bool {
        left.latitude.bitPattern == right.latitude.bitPattern
            && left.longitude.bitPattern == right.longitude.bitPattern
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.latitude.bitPattern)
        hasher.combine(self.longitude.bitPattern)
    }
}

extension GeoPoint: CustomStringConvertible {
    public var description: String { "<GeoPoint: (\(self.latitude), \(self.longitude))>" }
}
