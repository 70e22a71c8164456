internal import BrasaBytes
internal import BrasaDocuments
package import BrasaMessages
internal import BrasaQueries

/// Writes the responses of documents that a query found as `RunQueryResponse` writes them, without making any: what they have in
/// common, the beginning of their names and the time of reading, is encoded once, and lengths are known before what they
/// measure.
package struct FoundDocumentsEncoder {
    private let documents: ArraySlice<FoundDocument>
    /// Of the names: all before the path.
    private let nameStart: [UInt8]
    /// The last field of each response.
    private let readTime: [UInt8]

    package init(_ found: FoundDocuments) {
        self.documents = found.documents
        self.nameStart = found.database.bytes + Array("/documents/".utf8)
        self.readTime = WireSink.bytes { $0.keep(3, found.readTime) }
    }

    package var count: Int { self.documents.count }

    /// No fewer bytes than all responses together.
    package var byteCountMost: Int {
        let each = self.nameStart.count + self.readTime.count + Self.lengthsAndTimesMost
        return self.documents.reduce(self.documents.count * each) {
            $0 + $1.path.bytes.count + $1.document.fields.bytes.count
        }
    }

    /// The tags and lengths of document and name, and two times.
    private static let lengthsAndTimesMost = 2 * (1 + Varint.sizeMax) + 2 * (2 + 2 * (1 + Varint.sizeMax))

    /// Writes the response at an index to the beginning of `memory`, where there is room for it; returns its size.
    package func write(at index: Int, to memory: UnsafeMutableRawBufferPointer) -> Int {
        let index = self.documents.startIndex + index
        var sink = WireSink(memory)
        let created = WireTime(self.documents[index].document.createTime)
        let isAsMade = self.documents[index].document.updateTime == self.documents[index].document.createTime
        let updated = isAsMade ? created : WireTime(self.documents[index].document.updateTime)
        let name = self.nameStart.count + self.documents[index].path.bytes.count
        let times = WireSink.nestedSize(created.byteCount) + WireSink.nestedSize(updated.byteCount)
        let fields = self.documents[index].document.fields.bytes.count
        sink.tag(1, WireReader.Tag.lengthDelimited)
        sink.varint(UInt64(WireSink.nestedSize(name) + fields + times))
        sink.tag(1, WireReader.Tag.lengthDelimited)
        sink.varint(UInt64(name))
        sink.raw(self.nameStart)
        sink.raw(self.documents[index].path.bytes)
        sink.raw(self.documents[index].document.fields.bytes)
        let createTime = sink.position
        sink.keep(3, created)
        if isAsMade { sink.keepAgain(4, from: createTime) } else { sink.keep(4, updated) }
        sink.raw(self.readTime)
        precondition(sink.isComplete, "a response is longer than was said")
        return sink.position
    }
}

extension WireSink {
    /// What a nested message of so many bytes takes with its field's number, which is below 16, and its length.
    @inline(__always)
    fileprivate static func nestedSize(_ byteCount: Int) -> Int { 1 &+ Varint.size(UInt64(byteCount)) &+ byteCount }

    /// What `body` writes.
    fileprivate static func bytes(_ body: (inout WireSink) -> Void) -> [UInt8] {
        var counter = WireSink(UnsafeMutableRawBufferPointer(start: nil, count: 0))
        body(&counter)
        return [UInt8](unsafeUninitializedCapacity: counter.position) { memory, count in
            var sink = WireSink(UnsafeMutableRawBufferPointer(memory))
            body(&sink)
            count = sink.position
        }
    }
}
