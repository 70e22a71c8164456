import BrasaMessages
import NIOCore
import Testing

@testable import BrasaWire

@Suite("Descriptions of files")
struct FileDescriptionTests {
    private let set = Hexadecimal.bytes(Goldens.fileDescriptorSet)

    @Test("name what each file imports, declares and extends")
    func declarations() throws {
        let files = try FileDescription.files(inSet: self.set)
        #expect(files.map(\.name) == ["base.proto", "top.proto"])
        #expect(files.map(\.dependencies) == [[], ["base.proto", "missing.proto"]])
        let base = [
            "shop.Item", "shop.Item.price", "shop.Item.cost", "shop.Item.Part", "shop.Item.Part.Screw",
            "shop.Item.Part.Colour", "shop.Item.Part.RED", "shop.Item.Part.size", "shop.Kind", "shop.SMALL",
        ]
        #expect(Set(files[0].symbols) == Set(base) && files[0].symbols.count == base.count)
        #expect(Set(files[1].symbols) == ["shop.Till", "shop.Till.Pay", "shop.note"])
        #expect(files[0].extensions == [.init(message: "shop.Item", number: 127)])
        #expect(files[1].extensions == [.init(message: "shop.Item", number: 126)])
        #expect(files.flatMap(\.bytes).count < self.set.count)
    }

    @Test("that are cut or damaged anywhere are refused or read, never trapped on")
    func damage() {
        for count in 0..<self.set.count {
            _ = try? FileDescription.files(inSet: Array(self.set[..<count]))
            var damaged = self.set
            damaged[count] ^= 0xFF
            _ = try? FileDescription.files(inSet: damaged)
        }
        #expect(throws: WireError.malformed) { try FileDescription.files(inSet: [0x0A, 0xFF]) }
    }

    @Test("of messages within messages cost no stack")
    func depth() throws {
        var message = FieldWriter()
        message.field(1, "m")
        for _ in 0..<300 {
            let inner = message.bytes
            message = FieldWriter()
            message.field(1, "m")
            message.field(3, inner)
        }
        let bytes = message.bytes
        let set = FieldWriter.message { set in set.field(1) { $0.field(4, bytes) } }
        let files = try FileDescription.files(inSet: Array(set.readableBytesView))
        #expect(files[0].symbols.count == 301)
    }
}
