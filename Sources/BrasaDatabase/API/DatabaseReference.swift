internal import BrasaTree
internal import Foundation

/// A place in a database. Making one reads and writes nothing.
// @unchecked: it has nothing but what it inherits, which is constant.
public final class DatabaseReference: DatabaseQuery, @unchecked Sendable {
    init(_ database: Database, _ place: DatabasePlace) {
        super.init(database, place)
    }

    /// A place below, by a key or by several between slashes. A text that is no path gives a reference whose use is told
    /// what is wrong.
    public func child(_ pathString: String) -> DatabaseReference {
        DatabaseReference(self.database, self.place.child(pathString))
    }

    func child(_ key: TreeKey) -> DatabaseReference { DatabaseReference(self.database, self.place.child(key)) }

    /// A new place below, whose key comes after those that were made before. Nothing is written.
    public func childByAutoId() -> DatabaseReference { self.child(self.database.nextPushID()) }

    /// Nil at the root.
    public var parent: DatabaseReference? { self.place.parent.map { DatabaseReference(self.database, $0) } }

    public var root: DatabaseReference { self.database.reference() }

    /// The last one on the way; nil at the root.
    public var key: String? { self.place.segments.last }

    /// The place's address, with what needs it percent-encoded.
    public var url: String {
        var allowed = CharacterSet.urlPathAllowed
        allowed.remove("/")
        let path = self.place.segments.map { $0.addingPercentEncoding(withAllowedCharacters: allowed) ?? $0 }
        switch self.database.address {
        case .success(let address): return address.url(path: path.joined(separator: "/"))
        case .failure: return path.joined(separator: "/")
        }
    }

    public func description() -> String { self.url }

    /// Closes the connections of all databases of the process.
    public class func goOffline() { for database in Database.all { database.goOffline() } }

    /// Opens them again.
    public class func goOnline() { for database in Database.all { database.goOnline() } }
}

extension DatabaseReference: CustomDebugStringConvertible {
    public var debugDescription: String { self.url }
}
