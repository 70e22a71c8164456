import BrasaDocuments

/// A place between paths in their order.
indirect enum PathPosition: Sendable {
    case start
    case before(ResourcePath)
    case after(ResourcePath)
    /// Behind the path and everything below it.
    case afterSubtree(ResourcePath)
    case end
    case later(PathPosition, PathPosition)
    case earlier(PathPosition, PathPosition)

    /// Whether `path` lies before this place. Holds for a prefix of all paths, since descendants follow their ancestor.
    func isAfter(_ path: ResourcePath) -> Bool {
        switch self {
        case .start: false
        case .before(let place): path < place
        case .after(let place): !(place < path)
        case .afterSubtree(let place): !(place < path) || path.isDescendant(of: place)
        case .end: true
        case .later(let one, let other): one.isAfter(path) || other.isAfter(path)
        case .earlier(let one, let other): one.isAfter(path) && other.isAfter(path)
        }
    }
}
