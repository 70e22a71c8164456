package import BrasaDocuments

/// What knows the documents that rules read: `get`, `exists`, `getAfter` and `existsAfter` end here. It answers at once
/// and from one state; whatever it is asked for belongs to what the request has read.
package protocol RuleDocuments {
    /// The document before the request, or, `after`, as all writes of the request will leave it.
    func document(_ path: ResourcePath, after: Bool) -> RuleLookup
}

package enum RuleLookup: Sendable {
    case fields(EncodedFields)
    case missing
    /// The reader has a bound of its own and is at it.
    case refused
    case unknown
}
