/// The protocol's limits on queries; all are inclusive.
package enum QueryLimits {
    /// In disjunctive normal form.
    package static let disjunctionsMax = 30
    package static let inMembersMax = 30
    package static let notInMembersMax = 10
    package static let inequalityFieldsMax = 10
    /// Filters summed over the disjunctions, orders and the parent document.
    package static let clausesMax = 100
    package static let aggregationsMax = 5
    package static let nearestLimitMax = 1_000
}
