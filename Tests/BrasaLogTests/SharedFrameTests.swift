import BrasaPlatform
import Testing

@testable import BrasaLog

@Suite struct SharedFrameTests {
    private let salt: [UInt8] = Array(0..<16)

    private func writer(_ epoch: UInt64 = 1, after reader: SharedFrameReader? = nil) -> SharedFrameWriter {
        SharedFrameWriter(
            salt: self.salt,
            frameBytesMax: 256,
            epoch: epoch,
            next: reader?.next ?? LogPosition(1),
            chain: reader?.chain ?? 0,
            time: reader?.time ?? .min
        )
    }

    private func records(_ sizes: [Int], from time: Int64 = 100) -> [QueuedRecord] {
        sizes.enumerated().map { index, size in
            let payload = [UInt8](repeating: UInt8(truncatingIfNeeded: size &+ index), count: size)
            return QueuedRecord(time: time + Int64(index), payload: payload, waiter: nil)
        }
    }

    private struct Read: Equatable {
        var time: Int64
        var bytes: [UInt8]
    }

    private func read(_ frames: [[UInt8]], _ reader: inout SharedFrameReader) throws(LogError) -> [Read] {
        var found: [Read] = []
        for frame in frames {
            try reader.read(frame) { (time, bytes) throws(LogError) in
                found.append(Read(time: time, bytes: Array(bytes)))
            }
        }
        return found
    }

    @Test(arguments: [[0], [1, 2, 3], [100, 100, 100, 100], [5_000], [10, 700, 10, 184, 185, 0]])
    func `records come out as they went in, whatever their size`(sizes: [Int]) throws {
        var writer = self.writer()
        let records = self.records(sizes)
        let frames = [writer.opening()] + writer.frames(records[...])
        #expect(frames.allSatisfy { $0.count <= 256 })
        var reader = SharedFrameReader(salt: self.salt)
        let found = try self.read(frames, &reader)
        #expect(found.map(\.bytes.count) == sizes)
        #expect(found.map(\.time) == records.map(\.time))
        for (read, record) in zip(found, records) {
            #expect(read.bytes == (record.payload as? [UInt8]))
        }
        #expect(reader.next == writer.next)
    }

    @Test func `any other byte, place, log or predecessor is noticed`() throws {
        var writer = self.writer()
        let frames = [writer.opening()] + writer.frames(self.records([20, 300])[...])
        for index in frames.indices {
            for byte in frames[index].indices {
                var changed = frames
                changed[index][byte] ^= 1
                var reader = SharedFrameReader(salt: self.salt)
                #expect(throws: LogError.self) { try self.read(changed, &reader) }
            }
            var lacking = frames
            lacking.remove(at: index)
            var reader = SharedFrameReader(salt: self.salt)
            if index < frames.count - 1 { #expect(throws: LogError.self) { try self.read(lacking, &reader) } }
        }
        var foreign = SharedFrameReader(salt: Array(repeating: 0, count: 16))
        #expect(throws: LogError.self) { try self.read(frames, &foreign) }
        var other = self.writer()
        let branch = [other.opening()] + other.frames(self.records([21])[...])
        var reader = SharedFrameReader(salt: self.salt)
        #expect(throws: LogError.self) { try self.read([frames[0], branch[1], frames[2]], &reader) }
    }

    @Test func `frames that go on behind their record's end are damage, and are not gathered`() throws {
        var reader = SharedFrameReader(salt: self.salt)
        var opening = self.writer()
        _ = try self.read([opening.opening()], &reader)
        var body: [UInt8] = []
        for record in self.records([300]) { SharedFrame.append(record, to: &body) }
        func next(_ body: [UInt8], _ flags: SharedFrame.Flags, time: Int64 = .min) -> [UInt8] {
            var frame = SharedFrame(position: reader.next, epoch: 1, previousTime: reader.time, time: time)
            (frame.flags, frame.body) = (flags, body)
            return frame.encoded(salt: self.salt, chain: reader.chain).bytes
        }
        _ = try self.read([next(Array(body.prefix(200)), .endsInRecord)], &reader)
        #expect(reader.isInRecord)
        let rest = Array(body.dropFirst(200))
        var other = reader
        #expect(throws: LogError.self) { try self.read([next(rest, [.beginsInRecord, .endsInRecord])], &other) }
        let found = try self.read([next(rest, .beginsInRecord, time: 100)], &reader)
        #expect(found.map(\.bytes.count) == [300])
    }

    @Test func `what a leader has not finished is dropped when the next one begins`() throws {
        var writer = self.writer()
        let frames = [writer.opening()] + writer.frames(self.records([20, 1_000])[...])
        var reader = SharedFrameReader(salt: self.salt)
        let finished = try self.read(Array(frames.dropLast()), &reader)
        #expect(finished.map(\.bytes.count) == [20])
        var next = self.writer(2, after: reader)
        let more = [next.opening()] + next.frames(self.records([30], from: 101)[...])
        let found = try self.read(more, &reader)
        #expect(found.map(\.bytes.count) == [30])
        // The former leader's last frame has no place any more.
        #expect(throws: LogError.self) { try self.read([frames[frames.count - 1]], &reader) }
    }
}
