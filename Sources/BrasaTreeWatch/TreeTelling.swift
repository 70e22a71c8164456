package import BrasaTree
package import BrasaTreeEngine

/// What one commit is for the listeners of one target, shared by all of them. On the loop only.
package final class TreeTelling {
    package let notice: TreeNotice
    /// The door's bytes by the listens' tags, which most do not have.
    package var encodings: [Int64?: [[UInt8]]] = [:]
    /// The same, each as one text for scripts, where one is asked for.
    package var scripts: [Int64?: [UInt8]] = [:]

    init(_ notice: TreeNotice) {
        self.notice = notice
    }
}

/// Who is told, on the loop. May end its session meanwhile.
package protocol TreeListener: AnyObject {
    func told(_ telling: TreeTelling)
    /// A listen has ended: rules do not allow it any more.
    func revoked(_ target: TreeTarget)
    /// After everything that there was to tell.
    func flush()
    /// Another connection of the same client has taken the session's place.
    func replaced()
}
