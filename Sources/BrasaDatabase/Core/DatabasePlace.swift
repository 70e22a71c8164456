internal import BrasaTree
internal import BrasaTreeLink

/// Where a reference points: into the database, to what the client says of its connection, or nowhere. The text of a path
/// may come from anywhere, so making a reference of it is no mistake of the program; every use of it tells what is wrong.
enum DatabasePlace: Hashable, Sendable {
    case path(TreePath)
    /// Below `.info`.
    case info(TreePath)
    case none(text: String, DatabaseFault)

    static let root = DatabasePlace.path(.root)
    private static let infoName = ".info"

    static let emptyPath = DatabaseFault("A path must not be empty.")

    var isNowhere: Bool { if case .none = self { true } else { false } }

    /// The path is from here.
    func child(_ text: String) -> DatabasePlace {
        let segments = text.split(separator: "/")
        guard !segments.isEmpty else { return self.nowhere(text, Self.emptyPath) }
        do throws(TreeError) {
            switch self {
            case .path(.root) where segments.first == Self.infoName[...]:
                return .info(try TreePath(segments.dropFirst().joined(separator: "/")))
            case .path(let path): return .path(try TreePath("\(path)/\(text)"))
            case .info(let path): return .info(try TreePath("\(path)/\(text)"))
            case .none(_, let fault): return self.nowhere(text, fault)
            }
        } catch {
            return self.nowhere(text, DatabaseFault("Invalid path '\(text)': \(error.description)"))
        }
    }

    private func nowhere(_ text: String, _ fault: DatabaseFault) -> DatabasePlace {
        .none(text: "\(self.text)/\(text)", fault)
    }

    func child(_ key: TreeKey) -> DatabasePlace {
        switch self {
        case .path(let path): .path(path.appending(key))
        case .info(let path): .info(path.appending(key))
        case .none(let text, let fault): .none(text: "\(text)/\(key)", fault)
        }
    }

    /// Nil at the root.
    var parent: DatabasePlace? {
        switch self {
        case .path(let path): path.parent.map { .path($0) }
        case .info(let path): path.parent.map { .info($0) } ?? .root
        case .none(let text, let fault):
            .none(text: text.split(separator: "/").dropLast().joined(separator: "/"), fault)
        }
    }

    /// Keys, of which a text that is no path has what it has.
    var segments: [String] {
        switch self {
        case .path(let path): path.keys.map(\.description)
        case .info(let path): [Self.infoName] + path.keys.map(\.description)
        case .none(let text, _): text.split(separator: "/").map(String.init)
        }
    }

    var text: String { self.segments.joined(separator: "/") }

    /// What can be read.
    var readable: (source: TreeListener.Source, path: TreePath) {
        get throws(DatabaseFault) {
            switch self {
            case .path(let path): return (.database, path)
            case .info(let path): return (.info, path)
            case .none(_, let fault): throw fault
            }
        }
    }

    /// What can be written.
    var writable: TreePath {
        get throws(DatabaseFault) {
            switch self {
            case .path(let path): return path
            case .info: throw DatabaseFault("Nothing can be written below .info.")
            case .none(_, let fault): throw fault
            }
        }
    }
}
