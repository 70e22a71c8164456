/// What a request wants to do with a document or a collection, as `request.method` says it.
package enum RuleMethod: String, CaseIterable, Hashable, Sendable {
    case get, list, create, update, delete
}

/// The methods that a statement covers.
package struct MethodSet: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package init(_ method: RuleMethod) {
        switch method {
        case .get: self = .get
        case .list: self = .list
        case .create: self = .create
        case .update: self = .update
        case .delete: self = .delete
        }
    }

    package static let get = MethodSet(rawValue: 1)
    package static let list = MethodSet(rawValue: 2)
    package static let create = MethodSet(rawValue: 4)
    package static let update = MethodSet(rawValue: 8)
    package static let delete = MethodSet(rawValue: 16)
    package static let read: MethodSet = [.get, .list]
    package static let write: MethodSet = [.create, .update, .delete]

    /// The word after `allow`, in whatever case it is written.
    init?(word: String) {
        switch word.lowercased() {
        case "read": self = .read
        case "write": self = .write
        case let word:
            guard let method = RuleMethod(rawValue: word) else { return nil }
            self = MethodSet(method)
        }
    }
}
