/// The types that `is` knows, in the order in which messages list them.
package enum TypeName: String, CaseIterable, Hashable, Sendable {
    case bool, bytes, constraint, duration, float, int, latlng, list, vector, set, number, map, string, timestamp, path
    case mapDiff = "map_diff"
    /// Of values only: no rule can ask for it by name.
    case null

    /// The types that a rule may name.
    static let named = TypeName.allCases.filter { $0 != .null }
}
