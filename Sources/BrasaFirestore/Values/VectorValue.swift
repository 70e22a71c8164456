/// A vector of numbers for nearest-neighbour queries.
public final class VectorValue: Codable, Hashable, Sendable {
    public let array: [Double]

    public init(_ array: [Double]) {
        self.array = array
    }

    public static func == (left: VectorValue, right: VectorValue) -> Bool {
        left.array == right.array
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.array)
    }
}

extension VectorValue: CustomStringConvertible {
    public var description: String { "<VectorValue: \(self.array)>" }
}
