internal import BrasaDocuments

/// Where a reference points: at a path, or at a text that is none. The text may come from anywhere, so making a reference of
/// it is no mistake of the program; every use of that reference tells what is wrong.
enum Place: Hashable, Sendable {
    case path(ResourcePath)
    case none(text: String, UsageError)

    init(_ text: @autoclosure () -> String, _ path: () throws(UsageError) -> ResourcePath) {
        do throws(UsageError) {
            self = .path(try path())
        } catch {
            self = .none(text: text(), error)
        }
    }

    static func collection(_ text: String, below parent: Place = .path(.root)) -> Place {
        Place(parent.text(with: text)) { () throws(UsageError) in
            try PathText.collection(text, below: try parent.resource)
        }
    }

    static func document(_ text: String, below parent: Place = .path(.root)) -> Place {
        Place(parent.text(with: text)) { () throws(UsageError) in
            try PathText.document(text, below: try parent.resource)
        }
    }

    var resource: ResourcePath {
        get throws(UsageError) {
            switch self {
            case .path(let path): return path
            case .none(_, let error): throw error
            }
        }
    }

    var text: String {
        switch self {
        case .path(let path): path.string
        case .none(let text, _): text
        }
    }

    private func text(with text: String) -> String {
        self == .path(.root) ? text : "\(self.text)/\(text)"
    }

    /// Of a text that is no path, what is behind its last slash.
    var lastSegment: String {
        switch self {
        case .path(let path): String(decoding: path.lastSegment, as: UTF8.self)
        case .none(let text, _): String(text.split(separator: "/", omittingEmptySubsequences: false).last ?? "")
        }
    }

    /// Nil at the root. What belongs to no path belongs to none either.
    var parent: Place? {
        switch self {
        case .path(let path): path.parent.map { .path($0) }
        case .none(let text, let error):
            .none(text: text.split(separator: "/").dropLast().joined(separator: "/"), error)
        }
    }
}
