internal import Foundation

/// A value of a user's that is kept for later, as it is now: Foundation's texts, bytes and collections may be objects that
/// somebody changes.
func frozen(_ given: Any) -> Any {
    switch given {
    case let text as String: text
    case let data as Data: data
    case let map as [String: Any]: map.mapValues(frozen)
    case let array as [Any]: array.map(frozen)
    default: given
    }
}
