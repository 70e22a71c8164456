/// A place on the earth in degrees.
public final class GeoPoint: Codable, Sendable {
    public let latitude: Double
    public let longitude: Double

    /// A write or a query with a latitude that is not in −90…90 or a longitude not in −180…180 fails.
    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    /// That it is a place on the earth.
    func check() throws(UsageError) {
        guard (-90...90).contains(self.latitude) else {
            throw UsageError("A latitude must be in the range of [-90, 90], but was \(self.latitude).")
        }
        guard (-180...180).contains(self.longitude) else {
            throw UsageError("A longitude must be in the range of [-180, 180], but was \(self.longitude).")
        }
    }

    private enum CodingKeys: String, CodingKey {
        case latitude, longitude
    }

    public convenience init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let latitude = try container.decode(Double.self, forKey: .latitude)
        let longitude = try container.decode(Double.self, forKey: .longitude)
        self.init(latitude: latitude, longitude: longitude)
        try decoder.checking { () throws(UsageError) in try self.check() }
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
