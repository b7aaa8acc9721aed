#include "elf_image.hpp"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace lx106 {

namespace {

// A structure of elf.h at an offset of the file; files and hosts are little-endian.
template <typename Structure>
Structure at(std::span<const std::uint8_t> file, std::uint64_t offset) {
    if (offset > file.size() || file.size() - offset < sizeof(Structure))
        throw std::runtime_error("is cut short");
    Structure value;
    std::memcpy(&value, file.data() + offset, sizeof value);
    return value;
}

Segment segment_of(std::span<const std::uint8_t> file, const Elf32_Phdr &header) {
    if (header.p_offset > file.size() || file.size() - header.p_offset < header.p_filesz)
        throw std::runtime_error("is cut short");
    if (header.p_filesz > header.p_memsz)
        throw std::runtime_error("has a segment with more data than room");
    const auto data = file.subspan(header.p_offset, header.p_filesz);
    return {header.p_paddr, header.p_memsz, {data.begin(), data.end()}};
}

} // namespace

ElfImage parse_elf(std::span<const std::uint8_t> file) {
    if (file.size() < SELFMAG || std::memcmp(file.data(), ELFMAG, SELFMAG) != 0)
        throw std::runtime_error("is no ELF file");
    const auto header = at<Elf32_Ehdr>(file, 0);
    if (header.e_ident[EI_CLASS] != ELFCLASS32 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_machine != EM_XTENSA)
        throw std::runtime_error("is for another processor");
    ElfImage image;
    image.entry = header.e_entry;
    for (std::uint64_t number = 0; number < header.e_phnum; ++number) {
        const auto part = at<Elf32_Phdr>(file, header.e_phoff + number * header.e_phentsize);
        if (part.p_type == PT_LOAD && part.p_memsz > 0)
            image.segments.push_back(segment_of(file, part));
    }
    return image;
}

ElfImage read_elf(const std::string &path) {
    std::ifstream stream(path, std::ios::binary);
    const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(stream), {}};
    if (!stream)
        throw std::runtime_error(path + ": cannot be read; give the firmware of the board lx106");
    try {
        return parse_elf(bytes);
    } catch (const std::runtime_error &error) {
        throw std::runtime_error(path + ": " + error.what() +
                                 "; give the firmware of the board lx106");
    }
}

} // namespace lx106
