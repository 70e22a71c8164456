/// What is known of an expression's value before it has one.
struct StaticType: OptionSet {
    let rawValue: Int

    static let boolean = StaticType(rawValue: 1)
    static let number = StaticType(rawValue: 2)
    static let string = StaticType(rawValue: 4)
    static let null = StaticType(rawValue: 8)
    /// A token's claim with members, or what a node with children holds.
    static let object = StaticType(rawValue: 16)
    static let snapshot = StaticType(rawValue: 32)
    static let query = StaticType(rawValue: 64)
    static let pattern = StaticType(rawValue: 128)
    static let list = StaticType(rawValue: 256)

    static let priority: StaticType = [.number, .string, .null]
    static let unknown: StaticType = [.boolean, .number, .string, .null, .object]

    var name: String {
        let names: [(StaticType, String)] = [
            (.boolean, "boolean"), (.number, "number"), (.string, "string"), (.null, "null"), (.object, "object"),
            (.snapshot, "snapshot"), (.query, "query"), (.pattern, "regular expression"), (.list, "array"),
        ]
        return names.filter { self.contains($0.0) }.map(\.1).joined(separator: " or ")
    }
}
