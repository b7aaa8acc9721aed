// Programs of a few instructions in an ELF file, and an outside that records events.
#pragma once

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <string>
#include <vector>

#include "board.hpp"

namespace lx106_test {

using Bytes = std::vector<std::uint8_t>;

inline constexpr std::uint32_t kFlash = 0x40200000;
inline constexpr lx106::Time kInstruction = 25'000; // one cycle of the counter

// An ELF file with this code at its entry point, the beginning of flash.
inline Bytes elf_with(const Bytes &code) {
    Elf32_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS32;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_machine = EM_XTENSA;
    header.e_entry = kFlash;
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf32_Phdr);
    header.e_phnum = 1;
    Elf32_Phdr segment{};
    segment.p_type = PT_LOAD;
    segment.p_offset = sizeof header + sizeof segment;
    segment.p_vaddr = segment.p_paddr = kFlash;
    segment.p_filesz = static_cast<Elf32_Word>(code.size());
    segment.p_memsz = segment.p_filesz + 16;
    Bytes file(segment.p_offset + code.size());
    std::memcpy(file.data(), &header, sizeof header);
    std::memcpy(file.data() + sizeof header, &segment, sizeof segment);
    std::ranges::copy(code, file.data() + segment.p_offset);
    return file;
}

class Remembering final : public lx106::Outside {
public:
    void send(std::span<const std::uint8_t> frame) override {
        sent.emplace_back(frame.begin(), frame.end());
    }
    void look() override { ++looks; }
    void receiver(bool on) override { receivers.push_back(on); }
    void log(std::span<const std::uint8_t> line) override { text.append(line.begin(), line.end()); }
    std::vector<Bytes> sent;
    int looks = 0;
    std::vector<bool> receivers;
    std::string text;
};

} // namespace lx106_test
