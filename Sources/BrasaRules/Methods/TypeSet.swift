/// The types that a value may have, as far as reading the rules tells.
struct TypeSet: OptionSet, Hashable, Sendable {
    let rawValue: UInt32

    init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    init(_ type: TypeName) {
        switch type {
        case .number: self = [.int, .float]
        default: self.init(rawValue: 1 << UInt32(Self.order.firstIndex(of: type) ?? 0))
        }
    }

    private static let order: [TypeName] = [
        .null, .bool, .int, .float, .string, .bytes, .timestamp, .duration, .latlng, .path, .list, .set, .map,
        .mapDiff, .vector, .constraint,
    ]

    static let null = TypeSet(.null)
    static let bool = TypeSet(.bool)
    static let int = TypeSet(.int)
    static let float = TypeSet(.float)
    static let number: TypeSet = [.int, .float]
    static let string = TypeSet(.string)
    static let bytes = TypeSet(.bytes)
    static let timestamp = TypeSet(.timestamp)
    static let duration = TypeSet(.duration)
    static let latlng = TypeSet(.latlng)
    static let path = TypeSet(.path)
    static let list = TypeSet(.list)
    static let set = TypeSet(.set)
    static let map = TypeSet(.map)
    static let mapDiff = TypeSet(.mapDiff)
    static let any = TypeSet(rawValue: .max)

    var names: [String] {
        self == .any ? ["any"] : Self.order.filter { self.contains(TypeSet($0)) }.map(\.rawValue)
    }

    var text: String { self.names.joined(separator: "|") }
}
