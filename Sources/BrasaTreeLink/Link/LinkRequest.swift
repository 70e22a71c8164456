package import BrasaTree
import BrasaTreeWire

/// What a client asks of the server, with what it knows it by when the answer comes.
package enum LinkRequest: Sendable {
    case listen(TreeTarget, tag: Int?, hash: String, compound: CompoundHash?)
    case unlisten(TreeTarget, tag: Int?)
    case write(id: Int, TreeWrite)
    /// Only if what is there has the hash.
    case transaction(put: Int, TreeWrite, hash: String)
    case onDisconnect(id: Int, DisconnectRequest)
    case get(id: Int, TreeTarget)

    /// Whether it is asked again on the next connection. Listens are opened anew, and of a transaction that was sent
    /// nobody knows whether it was carried out.
    var outlivesConnection: Bool {
        switch self {
        case .write, .onDisconnect, .get: true
        case .listen, .unlisten, .transaction: false
        }
    }

    var action: TreeAction {
        switch self {
        case .listen(let target, let tag, let hash, let compound):
            .listen(target, tag: tag.map(Int64.init), hash: hash, compound: compound)
        case .unlisten(let target, let tag): .unlisten(target, tag: tag.map(Int64.init))
        case .write(_, let write): write.isUpdate ? .merge(write, hash: nil) : .put(write, hash: nil)
        case .transaction(_, let write, let hash): .put(write, hash: hash)
        case .onDisconnect(_, .write(let write)):
            write.isUpdate ? .onDisconnectMerge(write) : .onDisconnectPut(write)
        case .onDisconnect(_, .cancel(let path)): .onDisconnectCancel(TreeLocation(path))
        case .get(_, let target): .get(target)
        }
    }
}

/// What the server is to write when the connection ends, or not any more.
package enum DisconnectRequest: Sendable {
    case write(TreeWrite)
    /// At a place and below.
    case cancel(TreePath)
}
