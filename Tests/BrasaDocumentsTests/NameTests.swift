import BrasaDocuments
import BrasaQueryModel
import Testing

struct NameTests {
    static let root = "projects/p/databases/d/documents"

    private func parse(_ name: String) throws(DocumentError) -> DocumentName {
        try DocumentName(parsing: Array(name.utf8))
    }

    /// There is one for every document, and it is a part of the object that a document is.
    @Test func `A path takes a reference and no more`() {
        #expect(MemoryLayout<ResourcePath>.size == MemoryLayout<AnyObject>.size)
    }

    @Test func `A path's beginnings are those that its parents are`() throws {
        let path = try ResourcePath(parsing: Array("a/b/cc/dd/e/f".utf8))
        var parents: [ResourcePath] = []
        var next: ResourcePath? = path
        while let parent = next {
            parents.append(parent)
            next = parent.parent
        }
        #expect(parents.reversed() == (0...6).map { path.prefix(segments: $0) })
        #expect(parents.map(\.segmentCount) == [6, 5, 4, 3, 2, 1, 0])
        let collections = parents.map { String(decoding: $0.collectionID, as: UTF8.self) }
        #expect(collections == ["e", "e", "cc", "cc", "a", "a", ""])
        let last = parents.map { String(decoding: $0.lastSegment, as: UTF8.self) }
        #expect(last == ["f", "e", "dd", "cc", "b", "a", ""])
        #expect(path.prefix(segments: 7) == path)
    }

    @Test(arguments: [
        "a/b", "a/b/c/d", "a b/\\`,\"😀\u{1}", "____/____", "a/__id5__", "a/__id-9223372036854775808__",
        "c\u{0}/__id0__",
        "a/...", "a/__x", String(repeating: "x", count: 1_500) + "/y",
    ])
    func `A document's name is read and gives back its text`(path: String) throws {
        let name = try self.parse("\(Self.root)/\(path)")
        #expect(name.string == "\(Self.root)/\(path)")
        #expect(name.path.string == path)
        #expect(name.path.isDocument)
        #expect(name.database.string == "projects/p/databases/d")
        #expect(Array(name.path.segments.joined(separator: [UInt8(ascii: "/")])) == name.path.bytes.array)
    }

    @Test(arguments: [
        ("", #"Document name "" lacks "projects" at index 0."#),
        ("x", #"Document name "x" lacks "projects" at index 0."#),
        ("projects", #"Document name "projects" lacks "/" at index 8."#),
        ("projects/p", #"Document name "projects/p" lacks "/" at index 10."#),
        ("projects/p/d", #"Document name "projects/p/d" lacks "databases" at index 11."#),
        ("projects/p/databases/d", #"Document name "projects/p/databases/d" lacks "/" at index 22."#),
        ("projects/p/databases/d/x", #"Document name "projects/p/databases/d/x" lacks "documents" at index 23."#),
        (root, #"Document name "\#(root)" lacks "/" at index 32."#),
        ("\(root)x", #"Document name "\#(root)x" lacks "/" at index 32."#),
        ("\(root)/c", #"Document name "\#(root)/c" lacks "/" at index 34."#),
        ("\(root)/c/..", #"Document name "\#(root)/c/.." contains a resource id ".." at index 35."#),
        ("\(root)/./d", #"Document name "\#(root)/./d" contains a resource id "." at index 33."#),
        ("\(root)/c/__x__", #"Resource id "__x__" is invalid because it is reserved."#),
        ("\(root)/__id5__/d", #"Resource id "__id5__" is invalid because it is reserved."#),
        ("\(root)/c/__id05__", #"Resource id "__id05__" is invalid because it is reserved."#),
        (
            "\(root)/c/__id9223372036854775808__",
            #"Resource id "__id9223372036854775808__" is invalid because it is reserved."#
        ),
        ("\(root)/c/_____", #"Resource id "_____" is invalid because it is reserved."#),
        ("\(root)/c/" + String(repeating: "x", count: 1_501), "The key path element name is longer than 1500 bytes."),
    ])
    func `A malformed name is refused with its reason`(name: String, message: String) {
        let error = refusal { () throws(DocumentError) in try self.parse(name) }
        #expect(error?.message == message)
        #expect(error?.code == .invalidArgument)
    }

    @Test(arguments: ["\(root)/", "\(root)//d", "\(root)/c/", "\(root)/c/d/", "projects//databases/d/documents/c/d"])
    func `An empty id is refused`(name: String) {
        guard case .nameHasEmptyID? = refusal({ () throws(DocumentError) in try self.parse(name) })?.reason else {
            Issue.record("accepted \(name)")
            return
        }
    }

    @Test func `Bytes that are not UTF-8 are refused`() {
        for bad: [UInt8] in [
            [0x80], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0xFF],
        ] {
            let name = Array("\(Self.root)/c/".utf8) + bad
            #expect(
                refusal { () throws(DocumentError) in try DocumentName(parsing: name) }?.reason == .invalidUTF8("name")
            )
        }
    }

    @Test func `A name in another database is refused`() throws {
        let name = Array("\(Self.root)/c/d".utf8)
        #expect(try DocumentName(parsing: name, in: database()) == document("c/d"))
        let error = refusal { () throws(DocumentError) in try DocumentName(parsing: name, in: database("p", "e")) }
        #expect(
            error?.message
                == "The request was for database 'projects/p/databases/e' but was attempting to access database "
                + "'projects/p/databases/d'"
        )
    }

    @Test func `A parent is the root or a document`() throws {
        #expect(try ParentName(parsing: Array(Self.root.utf8)).path.isRoot)
        #expect(try ParentName(parsing: Array("\(Self.root)/c/d".utf8)).path == path("c/d"))
        let error = refusal { () throws(DocumentError) in try ParentName(parsing: Array("\(Self.root)/c".utf8)) }
        #expect(error?.message == #"Document parent name "\#(Self.root)/c" lacks "/" at index 34."#)
    }

    @Test func `Too long and too deep names are refused`() {
        let long = (0..<5).map { _ in String(repeating: "x", count: 1_499) }.joined(separator: "/") + "/y"
        #expect(
            refusal { () throws(DocumentError) in try self.parse("\(Self.root)/\(long)") }?.reason
                == .nameTooLong(.document)
        )
        let deep = Array(repeating: "c/d", count: 101).joined(separator: "/")
        #expect(
            refusal { () throws(DocumentError) in try self.parse("\(Self.root)/\(deep)") }?.reason
                == .nameTooDeep(.document)
        )
        let deepest = Array(repeating: "c/d", count: 100).joined(separator: "/")
        #expect(refusal { () throws(DocumentError) in try self.parse("\(Self.root)/\(deepest)") } == nil)
    }

    @Test func `Parts of paths are equal when their bytes are`() throws {
        func bytes(_ text: String) -> BytePart { BytePart(Array(text.utf8)) }
        let document = path("c/a/d/b")
        #expect(document.parentBytes == bytes("c/a/d"))
        #expect(document.parentBytes.hashValue == bytes("c/a/d").hashValue)
        #expect(document.parentBytes != BytePart(document.bytes))
        #expect(document.collectionID == bytes("d"))
        #expect(path("c/a").collectionID == path("c/a").parentBytes)
        #expect(path("c").parentBytes.isEmpty && ResourcePath.root.parentBytes.isEmpty)
        #expect(document.segments == ["c", "a", "d", "b"].map(bytes))
        #expect(bytes("a") != bytes("b"))
    }

    @Test func `A path knows its parts`() throws {
        let deep = path("c/d/e/f")
        #expect(Array(deep.lastSegment) == Array("f".utf8))
        #expect(Array(deep.collectionID) == Array("e".utf8))
        #expect(Array(path("c/d/e").collectionID) == Array("e".utf8))
        #expect(Array(path("c/d").collectionID) == Array("c".utf8))
        #expect(deep.parent == path("c/d/e"))
        #expect(deep.parent?.parent?.parent?.parent == .root)
        #expect(ResourcePath.root.parent == nil)
        #expect(try ResourcePath.root.appending(Array("c".utf8)).appending(Array("d".utf8)) == path("c/d"))
        #expect(deep.isDescendant(of: path("c/d")))
        #expect(deep.isDescendant(of: .root))
        #expect(!deep.isDescendant(of: deep))
        #expect(!path("c/dd/e/f").isDescendant(of: path("c/d")))
        #expect(MemoryLayout<ResourcePath>.size <= 16)
    }

    @Test(arguments: [
        ("a/b", #"Collection id "a/b" is invalid because it contains "/"."#),
        (".", #"Collection id "." is invalid because it is reserved."#),
        ("__x__", #"Collection id "__x__" is invalid because it is reserved."#),
        (String(repeating: "x", count: 1_501), "The query kind is longer than 1500 bytes."),
    ])
    func `A query's collection id is refused with its reason`(id: String, message: String) {
        let error = refusal { () throws(DocumentError) in try ResourcePath.checkCollectionID(UTF8Text(id)) }
        #expect(error?.message == message)
    }

    @Test func `Ids sort by number, then by bytes`() {
        let ids = [
            "__id-9223372036854775808__", "__id-2__", "__id7__", "__id12__", "__id9223372036854775807__", "12", "7",
            "A",
            "Aa", "__id", "__id1_", "_id1__", "a", "\u{FFFF}", "😀",
        ]
        for (low, left) in ids.enumerated() {
            for (high, right) in ids.enumerated() {
                let order = ResourcePath.compare(path("c/\(left)"), path("c/\(right)"))
                #expect(order == Ordering(low, high), "\(left) \(right)")
                #expect(
                    ResourcePath.compare(path("c/\(left)/e/f"), path("c/\(right)/a/a"))
                        == (low == high ? .descending : order)
                )
            }
        }
    }

    @Test func `Ids are read back from how they are written, and from nothing else`() {
        for seed in 0..<200 as Range<UInt64> {
            var generator = ValueGenerator(seed: seed)
            let path = path(generator.documentPath())
            var key = OrderPreservingKey()
            key.appendID(of: path)
            var bytes = key.bytes
            #expect(bytes.withUnsafeBytes(OrderPreservingKey.documentID(in:)) == Array(path.lastSegment), "\(path)")
            // Whatever one byte becomes.
            bytes[generator.random.below(bytes.count)] = generator.random.pick([0, 1, 2, 0x31, 0x5F, 0xF0, 0xFF])
            guard let id = bytes.withUnsafeBytes(OrderPreservingKey.documentID(in:)),
                let other = try? path.parent?.appending(id)
            else { continue }
            var again = OrderPreservingKey()
            again.appendID(of: other)
            #expect(again.bytes == bytes, "\(path)")
        }
        for written in [
            [2] + Array("__id5__".utf8) + [0, 1], [2, 0x61, 0, 0xF0, 0x61, 0, 1], [2, 0x61, 0], [1, 0], [],
        ] {
            #expect((written as [UInt8]).withUnsafeBytes(OrderPreservingKey.documentID(in:)) == nil, "\(written)")
        }
    }

    @Test func `Paths sort segment by segment and as their keys do`() {
        #expect(path("a/b") < path("a-c/d"))
        #expect(path("a/b") < path("a/b/c/d"))
        #expect(path("a/b/c/d") < path("a/b-/c/d"))
        for seed in 0..<200 as Range<UInt64> {
            var generator = ValueGenerator(seed: seed)
            let paths = (0..<12).map { _ in path(generator.documentPath()) }
            for left in paths {
                for right in paths {
                    let order = ResourcePath.compare(left, right)
                    #expect(order == ResourcePath.compare(right, left).reversed, "seed \(seed)")
                    #expect((order == .same) == (left == right), "seed \(seed)")
                    #expect(
                        order == Ordering(OrderPreservingKey(left), OrderPreservingKey(right)),
                        "seed \(seed): \(left) \(right)"
                    )
                }
            }
        }
    }
}
