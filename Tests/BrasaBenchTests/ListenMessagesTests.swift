import BrasaDocuments
import BrasaMessages
import BrasaWire
import NIOCore
import Testing

@testable import BrasaBench

@Suite struct ListenMessagesTests {
    private static func bytes(_ write: (inout ByteBuffer) -> Void) -> [UInt8] {
        var buffer = ByteBuffer()
        write(&buffer)
        return Array(buffer.readableBytesView)
    }

    /// A field of bytes as the wire has it, by its tag.
    private static func field(_ tag: UInt8, length: [UInt8], _ content: String) -> [UInt8] {
        [tag] + length + Array(content.utf8)
    }

    @Test func `etcd is asked to watch a key, or the keys that begin alike`() throws {
        let one = try ListenPlan.sample(peer: .etcd).messages()
        let key = Self.field(0x0a, length: [19], "listened/document-0")
        #expect(Self.bytes(one.subscribe) == [0x0a, 21] + key)
        let many = try ListenPlan.sample(peer: .etcd, subject: .query).messages()
        let range = Self.field(0x0a, length: [9], "listened/") + Self.field(0x12, length: [9], "listened0")
        #expect(Self.bytes(many.subscribe) == [0x0a, 22] + range)
    }

    @Test(arguments: [(64, [64]), (150, [0x96, 0x01]), (20_000, [0xa0, 0x9c, 0x01])] as [(Int, [UInt8])])
    func `etcd is sent values of the wanted size that begin with the stamp`(size: Int, length: [UInt8]) throws {
        let messages = try ListenPlan.sample(peer: .etcd, documentBytes: size).messages()
        let sent = Self.bytes { messages.change(7, stamp: 42, into: &$0) }
        let head = Self.field(0x0a, length: [19], "listened/document-7") + [0x12] + length
        #expect(Array(sent.prefix(head.count)) == head)
        #expect(sent.count == head.count + size)
        #expect(Array(sent.dropFirst(head.count).prefix(ChangeStamp.byteCount)) == ChangeStamp.bytes(42))
    }

    @Test(arguments: [ListenPlan.Subject.document, .query])
    func `a commit carries the stamp, and its document is one that is listened to`(subject: ListenPlan.Subject) throws {
        let plan = ListenPlan.sample(subject: subject)
        let messages = try plan.messages()
        var reader = ChangeStamp.Reader()
        for document in 0..<plan.documents {
            var commit = ByteBuffer()
            messages.change(document, stamp: 42 + UInt64(document), into: &commit)
            #expect(reader.stamp(in: commit) == 42 + UInt64(document))
            #expect(commit.readableBytes >= plan.documentBytes)
        }
        var request = ByteBuffer()
        messages.subscribe(into: &request)
        guard case .add = try ListenRequest(decoding: request).change else {
            Issue.record("the request adds no target")
            return
        }
    }

    @Test func `the first state is complete with the snapshot after CURRENT`() throws {
        let messages = try ListenPlan.sample().messages()
        func completes(_ change: TargetChange) -> Bool {
            var buffer = ByteBuffer()
            ListenResponse.targetChange(change).encode(into: &buffer)
            return messages.completesFirstState(buffer)
        }
        #expect(!completes(TargetChange(.add, [2])))
        #expect(!completes(TargetChange(.current, [2], resumeToken: [1], readTime: .init(microseconds: 5))))
        #expect(!completes(TargetChange(.noChange, resumeToken: [1])))
        #expect(completes(TargetChange(.noChange, resumeToken: [1], readTime: .init(microseconds: 5))))
        #expect(!messages.completesFirstState(ByteBuffer(repeating: 0xff, count: 9)))
    }
}
